package listwatch

import (
	"fmt"
	"io"
)

// String names the event and its object, whose content is not shown: it may be a Secret's.
func (e Event) String() string {
	i := e.Identity
	clip := func(b []byte) []byte { return b[:min(len(b), 253)] } // the longest name the API has
	text := fmt.Sprintf("%s %q %q/%q version %q: %d bytes at %d of connection %d", e.Kind, clip(i.Kind), clip(i.Namespace), clip(i.Name), clip(i.ResourceVersion),
		max(len(e.Object), len(e.Raw)), e.Offset, e.Conn)
	if e.Version != "" {
		text += fmt.Sprintf(", now at version %q", e.Version)
	}
	if e.Reason != "" {
		text += ", " + e.Reason
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Format implements fmt.Formatter: every verb prints String.
func (e Event) Format(s fmt.State, _ rune) { io.WriteString(s, e.String()) }

// MarshalText implements encoding.TextMarshaler, and JSON and slog with it.
func (e Event) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// Format implements fmt.Formatter: every verb names the collection. Without it fmt would walk through fields that change meanwhile.
func (r *Reflector) Format(s fmt.State, _ rune) { io.WriteString(s, "Reflector("+r.path+")") }
