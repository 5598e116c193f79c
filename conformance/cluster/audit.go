package cluster

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
)

// Request is one stage of a request in the server's audit log.
type Request struct {
	Stage     string // ResponseStarted (watches only), ResponseComplete, Panic
	Verb      string
	URI       string
	UserAgent string
	User      string
	// Credential identifies the token of a service account: "JTI=...".
	Credential string
	Code       int
}

// Requests reads the audit log so far.
func (c *Cluster) Requests() ([]Request, error) {
	f, err := os.Open(c.files.auditLog)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []Request
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Stage, Verb, RequestURI, UserAgent string
			User                               struct {
				Username string
				Extra    map[string][]string
			}
			ResponseStatus struct{ Code int }
		}
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // the last line may be half written
		}
		all = append(all, Request{Stage: e.Stage, Verb: e.Verb, URI: e.RequestURI, UserAgent: e.UserAgent, User: e.User.Username,
			Credential: strings.Join(e.User.Extra["authentication.kubernetes.io/credential-id"], ","), Code: e.ResponseStatus.Code})
	}
	return all, lines.Err()
}
