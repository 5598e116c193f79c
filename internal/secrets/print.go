package secrets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
)

// Printed is everything that Go's usual ways of printing make of a value: alone, behind a pointer, in a list, a map, a struct and an interface; by the
// verbs of fmt, by encoding/json, and by slog as text and as JSON. Of an error, its causes too.
func Printed(v any) string {
	var b strings.Builder
	for _, form := range around(v) {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X"} {
			fmt.Fprintf(&b, verb+"\n", form)
		}
		if text, err := json.Marshal(form); err == nil {
			b.Write(text)
		} else {
			b.WriteString(err.Error())
		}
		b.WriteString(logged(form))
	}
	if err, ok := v.(error); ok {
		for _, cause := range causes(err) {
			b.WriteString(Printed(cause))
		}
	}
	return b.String()
}

func around(v any) []any {
	forms := []any{v, []any{v}, map[string]any{"v": v}, struct{ V any }{v}}
	if v != nil {
		pointer := reflect.New(reflect.TypeOf(v))
		pointer.Elem().Set(reflect.ValueOf(v))
		forms = append(forms, pointer.Interface())
	}
	if err, ok := v.(error); ok {
		forms = append(forms, fmt.Errorf("wrapped: %w", err), errors.Join(err, errors.New("and another")))
	}
	return forms
}

func causes(err error) []error {
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if cause := e.Unwrap(); cause != nil {
			return []error{cause}
		}
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	}
	return nil
}

func logged(v any) string {
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("text", "v", v)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("json", "v", v)
	return b.String()
}
