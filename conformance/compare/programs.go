package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// measurePrograms builds the same small program with both, from nothing.
func measurePrograms(_ options, r *report) error {
	const library = "github.com/rawwatch/rawwatch"
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", library).Output()
	if err != nil {
		return err
	}
	// Each in its own module, with the versions of what it links.
	for _, program := range []struct{ name, folder, path string }{
		{"examples/podwatch", strings.TrimSpace(string(root)), library + "/examples/podwatch"},
		{"the same over client-go", "", here + "/podwatch"},
	} {
		f, err := measureProgram(program.folder, program.path)
		if err != nil {
			return fmt.Errorf("%s: %w", program.name, err)
		}
		r.Programs = add(r.Programs, program.name, f)
	}
	return nil
}

// measureProgram builds a package from a module's folder.
func measureProgram(module, path string) (figures, error) {
	folder, err := os.MkdirTemp("", "program")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // of our own making
	list := exec.Command("go", "list", "-deps", path)
	list.Dir = module
	list.Env = append(os.Environ(), "CGO_ENABLED=0")
	deps, err := list.Output()
	if err != nil {
		return nil, err
	}
	program := filepath.Join(folder, "program")
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, path)
	c.Dir = module
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
