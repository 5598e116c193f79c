package main

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"sigs.k8s.io/yaml"
)

// format turns events into what is printed of them. append adds an event's text to b; nothing added means that the format has no word for it.
type format interface {
	append(b []byte, e *event) ([]byte, error)
}

// jsonLines is NDJSON: one watch event per line, as the server sent it.
type jsonLines struct{}

func (jsonLines) append(b []byte, e *event) ([]byte, error) {
	return append(appendEnvelope(b, e), '\n'), nil
}

// appendEnvelope writes the watch event. Bytes that came as one are not touched, but for line feeds between tokens, which would end the line; JSON has none
// inside of strings (RFC 8259 7). What came in a list gets the envelope it would have had, and so does what a relist found: a watch-list calls
// everything ADDED.
func appendEnvelope(b []byte, e *event) []byte {
	if e.raw != nil && !e.relist {
		return appendOneLine(b, e.raw)
	}
	b = append(b, `{"type":`...)
	b = appendString(b, e.kind)
	b = append(b, `,"object":`...)
	if e.object != nil {
		b = appendOneLine(b, e.object)
	} else {
		b = appendIdentity(b, e)
	}
	return append(b, '}')
}

func appendOneLine(b, raw []byte) []byte {
	for {
		i := bytes.IndexAny(raw, "\r\n")
		if i < 0 {
			return append(b, raw...)
		}
		b = append(b, raw[:i]...)
		raw = raw[i+1:]
	}
}

// appendIdentity stands in for an object that nobody has any more.
func appendIdentity(b []byte, e *event) []byte {
	type metadata struct {
		Namespace       string `json:"namespace,omitempty"`
		Name            string `json:"name,omitempty"`
		UID             string `json:"uid,omitempty"`
		ResourceVersion string `json:"resourceVersion,omitempty"`
	}
	return appendJSON(b, struct {
		APIVersion string   `json:"apiVersion,omitempty"`
		Kind       string   `json:"kind,omitempty"`
		Metadata   metadata `json:"metadata"`
	}{e.apiVersion, e.objectKind, metadata{e.key.Namespace, e.key.Name, e.uid, e.version}})
}

func appendString(b []byte, s string) []byte { return appendJSON(b, s) }

// appendJSON is for values that cannot fail to be written.
func appendJSON(b []byte, v any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // a type of this package that JSON cannot hold
	}
	return append(b, bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))...)
}

// jsonEnvelopes is NDJSON with what is known of each event around it. Fields that are not known are left out.
type jsonEnvelopes struct{}

func (jsonEnvelopes) append(b []byte, e *event) ([]byte, error) {
	b = append(b, `{"time":"`...)
	b = e.time.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, `","resource":`...)
	b = appendString(b, e.resource)
	b = append(b, `,"bytes":`...)
	b = strconv.AppendInt(b, int64(e.size()), 10)
	if n := e.chunks.count(); n > 0 {
		b = append(b, `,"chunks":`...)
		b = strconv.AppendInt(b, int64(n), 10)
		b = append(b, `,"firstChunk":`...)
		b = strconv.AppendInt(b, int64(e.chunks.first), 10)
	}
	if e.conn != 0 {
		b = append(b, `,"connection":`...)
		b = strconv.AppendUint(b, e.conn, 10)
		b = append(b, `,"offset":`...)
		b = strconv.AppendInt(b, e.offset, 10)
	}
	for _, flag := range []struct {
		set  bool
		text string
	}{{e.initial, `,"initial":true`}, {e.relist, `,"foundByRelist":true`}} {
		if flag.set {
			b = append(b, flag.text...)
		}
	}
	b = append(b, `,"event":`...)
	return append(appendEnvelope(b, e), "}\n"...), nil
}

// yamlDocuments is whole objects, each a document.
type yamlDocuments struct{ begun bool }

func (y *yamlDocuments) append(b []byte, e *event) ([]byte, error) {
	object := e.object
	if object == nil {
		object = appendIdentity(nil, e)
	}
	text, err := yaml.JSONToYAML(object)
	if err != nil {
		return b, &formatError{e.resource, e.key.String(), "yaml", err}
	}
	if y.begun {
		b = append(b, "---\n"...)
	}
	y.begun = true
	b = append(b, "# "+escapeMax(e.kind, 32)+"\n"...)
	return append(b, text...), nil
}

// names is resource/name of every event that has one.
type names struct{}

func (names) append(b []byte, e *event) ([]byte, error) {
	if e.key.Name == "" {
		return b, nil
	}
	b = append(b, escape(e.typeName)...)
	b = append(b, '/')
	return append(append(b, escapeMax(e.key.Name, 512)...), '\n'), nil
}

// formatError is an object that a format cannot show. The stream goes on.
type formatError struct {
	resource, key, format string
	err                   error
}

// Error names the object and not what is in it, which the cause may repeat.
func (e *formatError) Error() string {
	return escapeMax(e.resource, 256) + " " + escapeMax(e.key, 512) + ": cannot be written as " + e.format
}

func (e *formatError) Unwrap() error { return e.err }
