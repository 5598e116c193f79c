package watchdecoder

import (
	"fmt"
	"io"
)

// String names the event and its object, whose content is not shown: it may be a Secret's.
func (f Frame) String() string {
	return fmt.Sprintf("%s %s: %d bytes at %d", f.Type, f.Identity, len(f.Raw), f.Offset)
}

// Format implements fmt.Formatter: every verb prints String.
func (f Frame) Format(s fmt.State, _ rune) { io.WriteString(s, f.String()) }

// MarshalText implements encoding.TextMarshaler, and JSON and slog with it.
func (f Frame) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// String names the object, whose content is not shown: it may be a Secret's.
func (i Item) String() string {
	return fmt.Sprintf("item %d %s: %d bytes at %d", i.Index, i.Identity, len(i.Object), i.Offset)
}

// Format implements fmt.Formatter: every verb prints String.
func (i Item) Format(s fmt.State, _ rune) { io.WriteString(s, i.String()) }

// MarshalText implements encoding.TextMarshaler, and JSON and slog with it.
func (i Item) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// String is kind, namespace, name and version, each cut short and escaped.
func (i Identity) String() string {
	clip := func(b []byte) []byte { return b[:min(len(b), 253)] } // the longest name the API has
	return fmt.Sprintf("%q %q/%q version %q", clip(i.Kind), clip(i.Namespace), clip(i.Name), clip(i.ResourceVersion))
}
