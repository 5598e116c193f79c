package rest

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// ConfigError is a configuration that cannot be used: what is wrong, where, and
// why. It never carries tokens, passwords, keys or the userinfo of a URL.
type ConfigError struct {
	// File is the kubeconfig at fault, "" for everything else.
	File string
	// Field is the entry at fault, such as `user "dev": exec`.
	Field string
	// Rule says what is wrong in words.
	Rule string
	// Unsupported: the entry is valid and this version does not implement it.
	Unsupported bool
	// Err is the cause; nil when the rule says it all.
	Err error
}

// Error is one line. Names and paths are quoted.
func (e *ConfigError) Error() string {
	var parts []string
	if e.File != "" {
		parts = append(parts, "kubeconfig "+quotePath(e.File))
	}
	if e.Field != "" {
		parts = append(parts, e.Field)
	}
	if e.Rule != "" {
		parts = append(parts, e.Rule)
	}
	if e.Err != nil {
		parts = append(parts, causeText(e.Err))
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// causeText leaves out the path of a file error: the message names it already,
// quoted.
func causeText(err error) string {
	if pe, ok := err.(*fs.PathError); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

// errTooLarge is what readFile returns past its bound.
type errTooLarge struct{ max int }

func (e errTooLarge) Error() string { return fmt.Sprintf("larger than %d bytes", e.max) }

// readFile reads a whole file of at most max bytes; a negative max is no bound.
func readFile(path string, max int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if max < 0 {
		return io.ReadAll(f)
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(max)+1))
	if err != nil {
		return nil, err
	}
	if len(data) > max {
		return nil, errTooLarge{max}
	}
	return data, nil
}
