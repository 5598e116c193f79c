package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// ParseError says why bytes are no Status of a failure. Offset counts from the first byte, and is -1 where there is none to name.
type ParseError struct {
	Offset int64
	Rule   string
	Err    error // what is wrong with the JSON, or nil
}

// Error names the rule, never the content.
func (e *ParseError) Error() string {
	if e.Offset < 0 {
		return "not a Status: " + e.Rule
	}
	return fmt.Sprintf("not a Status: %s, at byte %d", e.Rule, e.Offset)
}

func (e *ParseError) Unwrap() error { return e.Err }

// Causes of a ParseError. They repeat nothing of the input.
var (
	errMalformed = errors.New("malformed JSON")
	errType      = errors.New("JSON of another type")
)

// maxBytes bounds a Status. A server's is some hundred bytes, a few KiB with many causes; decoded, causes of nothing take 16 times their bytes, which an
// ERROR event of a watch's 16 MiB must not be able to ask for.
const maxBytes = 1 << 20

// Parse reads a Status object of kind Status and version v1 that is not a success, and nothing around it but white space. Anything else, and
// what is larger than 1 MiB, is a *ParseError.
// Keys count in their exact case, unknown ones are skipped. The result shares no memory with object.
func Parse(object []byte) (*Error, error) {
	if len(object) > maxBytes {
		return nil, &ParseError{Offset: maxBytes, Rule: "larger than 1 MiB"}
	}
	top, err := parseFields(object)
	if err != nil {
		return nil, err
	}
	p := new(fieldParser)
	kind, version, outcome := p.text(top, "kind"), p.text(top, "apiVersion"), p.text(top, "status")
	e := &Error{
		Code: int(p.integer(top, "code")), Reason: Reason(p.text(top, "reason")), Message: p.text(top, "message"),
		Details: p.details(top), HasStatus: true,
	}
	switch {
	case p.err != nil:
		return nil, p.err
	case kind != "Status":
		return nil, &ParseError{Offset: -1, Rule: "kind is not Status"}
	case version != "v1" && version != "meta.k8s.io/v1" && version != "":
		return nil, &ParseError{Offset: -1, Rule: "a kind Status of another API"}
	case outcome == "Success":
		return nil, &ParseError{Offset: -1, Rule: "a Status of a success"}
	}
	if e.Details != nil && e.Details.RetryAfterSeconds > 0 {
		e.RetryAfter, e.HasRetryAfter = min(time.Duration(e.Details.RetryAfterSeconds)*time.Second, MaxRetryAfter), true
	}
	return e, nil
}

func parseFields(object []byte) (fields, error) {
	v, offset := parseJSON(object)
	if v == nil {
		return nil, &ParseError{Offset: int64(offset), Rule: "malformed JSON (RFC 8259)", Err: errMalformed}
	}
	f, ok := v.object()
	switch {
	case !ok:
		return nil, &ParseError{Offset: -1, Rule: "not a JSON object", Err: errType}
	case f == nil:
		return nil, &ParseError{Offset: -1, Rule: "not a JSON object"}
	}
	return f, nil
}

// fieldParser keeps the first error. A field that is absent or null is the zero value.
type fieldParser struct{ err error }

// field reads the field of that name as one of the methods of jsonValue does.
func field[T any](p *fieldParser, f fields, name string, read func(jsonValue) (T, bool)) (into T) {
	raw := f[name]
	if raw == nil || p.err != nil {
		return into
	}
	into, ok := read(raw)
	if !ok {
		p.err = &ParseError{Offset: -1, Rule: "the field " + name + " has a type of its own", Err: errType}
	}
	return into
}

//go:noinline // it is called from everywhere
func (p *fieldParser) text(f fields, name string) string { return field(p, f, name, jsonValue.text) }

//go:noinline // it is called from everywhere
func (p *fieldParser) integer(f fields, name string) int32 {
	return field(p, f, name, jsonValue.integer)
}

func (p *fieldParser) details(top fields) *Details {
	f := field(p, top, "details", jsonValue.object)
	if f == nil {
		return nil
	}
	d := &Details{
		Name: p.text(f, "name"), Group: p.text(f, "group"), Kind: p.text(f, "kind"), UID: p.text(f, "uid"),
		RetryAfterSeconds: p.integer(f, "retryAfterSeconds"),
	}
	for _, c := range field(p, f, "causes", jsonValue.objects) {
		d.Causes = append(d.Causes, Cause{Type: CauseType(p.text(c, "reason")), Message: p.text(c, "message"), Field: p.text(c, "field")})
	}
	return d
}

// MarshalJSON writes the JSON of a metav1.Status, as that type does.
func (e *Error) MarshalJSON() ([]byte, error) {
	s := wireStatus{
		Kind: "Status", APIVersion: "v1", Status: "Failure", Message: e.Message, Reason: e.Reason, Code: clamp32(int64(e.Code)),
	}
	if e.Details != nil {
		d := wireDetails{Name: e.Details.Name, Group: e.Details.Group, Kind: e.Details.Kind, UID: e.Details.UID, RetryAfterSeconds: e.Details.RetryAfterSeconds}
		for _, c := range e.Details.Causes {
			d.Causes = append(d.Causes, wireCause(c))
		}
		s.Details = &d
	}
	if e.HasRetryAfter && e.RetryAfter > 0 && (s.Details == nil || s.Details.RetryAfterSeconds == 0) { // it came in a header
		if s.Details == nil {
			s.Details = new(wireDetails)
		}
		s.Details.RetryAfterSeconds = clamp32(int64((e.RetryAfter + time.Second - 1) / time.Second))
	}
	return json.Marshal(s)
}

func clamp32(n int64) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

type wireStatus struct {
	Kind       string       `json:"kind"`
	APIVersion string       `json:"apiVersion"`
	Metadata   struct{}     `json:"metadata"`
	Status     string       `json:"status"`
	Message    string       `json:"message,omitempty"`
	Reason     Reason       `json:"reason,omitempty"`
	Details    *wireDetails `json:"details,omitempty"`
	Code       int32        `json:"code,omitempty"`
}

type wireDetails struct {
	Name              string      `json:"name,omitempty"`
	Group             string      `json:"group,omitempty"`
	Kind              string      `json:"kind,omitempty"`
	UID               string      `json:"uid,omitempty"`
	Causes            []wireCause `json:"causes,omitempty"`
	RetryAfterSeconds int32       `json:"retryAfterSeconds,omitempty"`
}

type wireCause struct {
	Type    CauseType `json:"reason,omitempty"`
	Message string    `json:"message,omitempty"`
	Field   string    `json:"field,omitempty"`
}
