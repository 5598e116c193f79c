package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// here is the import path of this folder.
const here = "github.com/rawwatch/rawwatch/conformance/compare"

// build makes the programs that are run: one each for what is compared, for what one links makes the other's process larger.
func build(folder string) error {
	for _, program := range []string{"server", "clientgo", "ours", "full"} {
		c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(folder, program), here+"/"+program)
		c.Stdout, c.Stderr = os.Stderr, os.Stderr
		c.Env = append(os.Environ(), "CGO_ENABLED=0")
		if err := c.Run(); err != nil {
			return fmt.Errorf("build %s: %w", program, err)
		}
	}
	return nil
}
