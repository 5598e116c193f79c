package fakeapi

// StatusError is a refusal in the words of the API: what a client would get
// as a Status object.
type StatusError struct {
	Code    int    // HTTP status
	Reason  string // "NotFound", "Conflict", ...
	Message string
	Details *StatusDetails

	// text, if set, is sent as text/plain in place of a Status.
	text string
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
