package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// measurePrograms builds the same small program with both, from nothing.
func measurePrograms(_ options, r *report) error {
	for _, program := range []struct{ name, path string }{
		{"examples/podwatch", "github.com/rawwatch/rawwatch/examples/podwatch"},
		{"the same over client-go", here + "/podwatch"},
	} {
		f, err := measureProgram(program.path)
		if err != nil {
			return fmt.Errorf("%s: %w", program.name, err)
		}
		r.Programs = add(r.Programs, program.name, f)
	}
	return nil
}

func measureProgram(path string) (figures, error) {
	folder, err := os.MkdirTemp("", "program")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // of our own making
	deps, err := exec.Command("go", "list", "-deps", path).Output()
	if err != nil {
		return nil, err
	}
	program := filepath.Join(folder, "program")
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, path)
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOCACHE="+filepath.Join(folder, "cache"))
	c.Stderr = os.Stderr
	start := time.Now()
	if err := c.Run(); err != nil {
		return nil, err
	}
	built := time.Since(start)
	info, err := os.Stat(program)
	if err != nil {
		return nil, err
	}
	return figures{"bytes": float64(info.Size()), "packages": float64(bytes.Count(deps, []byte("\n"))), "cold_build_s": built.Seconds()}, nil
}
