//go:build unix

package execplugin

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A plugin that is ended takes its children with it: a shell script's, most of all. They inherit a lock, which is free when all of them are gone.
func TestChildrenEndWithTheirPlugin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	p := newPlugin(t, Options{Timeout: 500 * time.Millisecond}, acting(t, "orphan", path))
	if _, _, err := p.Credential(t.Context()); err == nil {
		t.Fatal("it ended by itself")
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil { // a child that lives on lets it wait for an hour
		t.Error(err)
	}
}

func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }
