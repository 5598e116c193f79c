package sim

import (
	"net/http"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// storms are the refusals that a server may answer everything with.
var storms = []struct {
	code       int
	reason     string
	retryAfter string
}{
	{429, "TooManyRequests", "1"},
	{429, "TooManyRequests", ""},
	{429, "TooManyRequests", "Sat, 01 Jan 2000 00:00:30 GMT"},
	{500, "InternalError", ""},
	{503, "ServiceUnavailable", "3"},
	{401, "Unauthorized", ""},
	{410, "Expired", ""},
}

// storm has the server refuse everything, until the returned function is called.
func storm(s *fakeapi.Server, n int) (end func()) {
	kind := storms[n%len(storms)]
	return s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if kind.retryAfter != "" {
			w.Header().Set("Retry-After", kind.retryAfter)
		}
		fakeapi.WriteStatus(w, &fakeapi.StatusError{Code: kind.code, Reason: kind.reason, Message: "a storm"})
		return true
	})
}
