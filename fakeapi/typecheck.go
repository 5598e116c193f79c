package fakeapi

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// checkType looks at apiVersion and kind of a client's object before anything
// else, in the words of the real server's decoders.
func (k *kind) checkType(body []byte) error {
	// The real server's struct, because its error text shows it.
	var t struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}
	if err := json.Unmarshal(body, &t); err != nil {
		return badRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): couldn't get version/kind; json parse error: %v (%s)", k.Kind, err, summary(body)))
	}
	if k.custom && t.Kind == "" {
		return badRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): Object 'Kind' is missing in '%s' (%s)", k.Kind, body, summary(body)))
	}
	switch {
	case t.APIVersion != "" && t.APIVersion != k.APIVersion():
		return badRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", t.APIVersion, k.APIVersion()))
	case t.Kind == "" || t.Kind == k.Kind:
		return nil
	case !k.custom:
		group, _, _ := strings.Cut(k.Group, ".")
		if group == "" {
			group = "core"
		}
		return badRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: converting (%s.%s) to (%s.%s): unknown conversion", t.Kind, k.APIVersion(), k.Kind, k.Version, t.Kind, group, k.Kind))
	}
	var named struct{ Metadata struct{ Name string } }
	_ = json.Unmarshal(body, &named) // a name that is none is left out
	return invalid(k.Group, t.Kind, named.Metadata.Name, []StatusCause{{
		Reason: "FieldValueInvalid", Message: fmt.Sprintf("Invalid value: %q: must be %s", t.Kind, k.Kind), Field: "kind",
	}})
}

// summary is how the real server shows the start of what it could not read.
func summary(data []byte) string {
	const most = 30
	switch {
	case len(data) == 0:
		return "<empty>"
	case data[0] == '{' && len(data) > most:
		return string(data[:most]) + " ..."
	case data[0] == '{':
		return string(data)
	case len(data) > most:
		return hex.EncodeToString(data[:most]) + " ..."
	}
	return hex.EncodeToString(data)
}
