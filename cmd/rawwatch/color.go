package main

import "fmt"

// ansi is a colour's SGR parameter, "" for none.
type ansi string

const (
	green  ansi = "32"
	yellow ansi = "33"
	red    ansi = "31"
	bold   ansi = "1;31"
	faint  ansi = "2"
)

// palette paints, or does not.
type palette bool

func (p palette) paint(c ansi, text string) string {
	if !p || c == "" || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// colorOf is an event type's colour.
func colorOf(kind string) ansi {
	switch kind {
	case typeAdded:
		return green
	case typeModified:
		return yellow
	case typeDeleted:
		return red
	case typeError:
		return bold
	}
	return faint
}

// choosePalette obeys --color, then NO_COLOR (no-color.org: present and not empty) and TERM=dumb, then whether the stream is a terminal.
func choosePalette(mode string, terminal bool, env func(string) string) (palette, error) {
	switch mode {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto", "":
		return palette(terminal && env("NO_COLOR") == "" && env("TERM") != "dumb"), nil
	}
	return false, usagef("--color is auto, always or never, not %q", mode)
}

// usageError is a command line that cannot be carried out.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }
