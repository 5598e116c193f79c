package watchdecoder

import (
	"fmt"
	"io"
)

// What decoders hand out prints as what it is, without the object: that may be a Secret. The methods are few and small because every program links them.

// Format implements fmt.Formatter: every verb prints the event's type.
func (f *Frame) Format(s fmt.State, _ rune) { io.WriteString(s, "Frame("+f.Type.String()+")") }

// MarshalText implements encoding.TextMarshaler, and JSON and slog with it.
func (f *Frame) MarshalText() ([]byte, error) { return []byte("Frame(" + f.Type.String() + ")"), nil }

// Format implements fmt.Formatter: every verb prints the word Item.
func (i *Item) Format(s fmt.State, _ rune) { io.WriteString(s, "Item") }

// MarshalText implements encoding.TextMarshaler, and JSON and slog with it.
func (i *Item) MarshalText() ([]byte, error) { return []byte("Item"), nil }
