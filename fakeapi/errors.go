package fakeapi

import (
	"fmt"
	"net/http"
)

// StatusError is a refusal in the words of the API: what a client would get
// as a Status object.
type StatusError struct {
	Code    int    // HTTP status
	Reason  string // "NotFound", "Conflict", ...
	Message string
	Details *StatusDetails
	// Continue is the token that an expired list may go on with.
	Continue string
}

// StatusDetails are the machine-readable part of a StatusError.
type StatusDetails struct {
	Name              string        `json:"name,omitempty"`
	Group             string        `json:"group,omitempty"`
	Kind              string        `json:"kind,omitempty"`
	UID               string        `json:"uid,omitempty"`
	Causes            []StatusCause `json:"causes,omitempty"`
	RetryAfterSeconds int           `json:"retryAfterSeconds,omitempty"`
}

// StatusCause is one of the reasons of a refusal.
type StatusCause struct {
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	Field   string `json:"field,omitempty"`
}

// Error returns the message.
func (e *StatusError) Error() string { return e.Message }

// MarshalJSON renders the Status object that a client gets.
func (e *StatusError) MarshalJSON() ([]byte, error) {
	return mustJSON(statusObject{
		Kind: "Status", APIVersion: "v1", Metadata: listMeta{Continue: e.Continue}, Status: "Failure",
		Message: e.Message, Reason: e.Reason, Details: e.Details, Code: e.Code,
	}), nil
}

// statusObject is metav1.Status in the order of its fields.
type statusObject struct {
	Kind       string         `json:"kind"`
	APIVersion string         `json:"apiVersion"`
	Metadata   listMeta       `json:"metadata"`
	Status     string         `json:"status"`
	Message    string         `json:"message,omitempty"`
	Reason     string         `json:"reason,omitempty"`
	Details    *StatusDetails `json:"details,omitempty"`
	Code       int            `json:"code,omitempty"`
}

// listMeta is metav1.ListMeta as a built-in list prints it.
type listMeta struct {
	ResourceVersion    string `json:"resourceVersion,omitempty"`
	Continue           string `json:"continue,omitempty"`
	RemainingItemCount *int   `json:"remainingItemCount,omitempty"`
}

// The wording of these is part of the API in practice: users and tools match
// on it. It follows apimachinery's api/errors.

func notFound(k *kind, name string) *StatusError {
	return &StatusError{http.StatusNotFound, "NotFound", fmt.Sprintf("%s %q not found", k.Name(), name), k.details(name), ""}
}

func alreadyExists(k *kind, name string) *StatusError {
	return &StatusError{http.StatusConflict, "AlreadyExists", fmt.Sprintf("%s %q already exists", k.Name(), name), k.details(name), ""}
}

func conflict(k *kind, name, why string) *StatusError {
	return &StatusError{http.StatusConflict, "Conflict", fmt.Sprintf("Operation cannot be fulfilled on %s %q: %s", k.Name(), name, why), k.details(name), ""}
}

func badRequest(why string) *StatusError {
	return &StatusError{Code: http.StatusBadRequest, Reason: "BadRequest", Message: why}
}

func expired(why string) *StatusError {
	return &StatusError{Code: http.StatusGone, Reason: "Expired", Message: why}
}

// tooLarge refuses a version that the server has not reached.
func tooLarge(wanted, current uint64) *StatusError {
	return &StatusError{
		Code: http.StatusGatewayTimeout, Reason: "Timeout",
		Message: fmt.Sprintf("Timeout: Too large resource version: %d, current: %d", wanted, current),
		Details: &StatusDetails{
			Causes:            []StatusCause{{Reason: "ResourceVersionTooLarge", Message: "Too large resource version"}},
			RetryAfterSeconds: 1,
		},
	}
}

// invalid is a 422 with one cause per broken rule.
func invalid(group, kind, name string, causes []StatusCause) *StatusError {
	qualified := kind
	if group != "" {
		qualified += "." + group
	}
	why := ""
	for i, c := range causes {
		if i > 0 {
			why += ", "
		}
		why += c.Field + ": " + c.Message
	}
	if len(causes) > 1 {
		why = "[" + why + "]"
	}
	return &StatusError{
		http.StatusUnprocessableEntity, "Invalid", fmt.Sprintf("%s %q is invalid: %s", qualified, name, why),
		&StatusDetails{Name: name, Group: group, Kind: kind, Causes: causes}, "",
	}
}

func (k *kind) details(name string) *StatusDetails {
	return &StatusDetails{Name: name, Group: k.Group, Kind: k.Resource.Resource}
}
