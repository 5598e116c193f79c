package rest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// TokenFileOptions configure NewTokenFile. The zero value is the documented default.
type TokenFileOptions struct {
	// RefreshInterval is how long a token is used before its file is read
	// again. 0 is one minute; negative: only after a rejection.
	RefreshInterval time.Duration
	// MaxBytes bounds the file. 0 is 64 KiB; negative: no bound.
	MaxBytes int
	// Initial is used while the file has never been read successfully. It is
	// the token a kubeconfig names beside its tokenFile.
	Initial string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

const (
	defaultTokenRefresh  = time.Minute
	defaultTokenMaxBytes = 64 << 10
)

// TokenFile is a bearer token kept in a file that others rotate, such as a
// projected service account token. The file is opened by its path each time, so
// the kubelet's swap of the ..data link is followed; it is read again at most
// once per RefreshInterval and after the server rejected the token.
//
// While the file cannot be read, or holds what no Authorization header can
// carry, the last good token stays in use. Its methods are safe for concurrent
// use. No method and no print of a TokenFile shows the token.
type TokenFile struct {
	path string
	opts TokenFileOptions

	mu    sync.Mutex
	state *tokenState
}

// tokenState is behind a pointer so that printing a TokenFile by any verb shows
// an address and never the token.
type tokenState struct {
	token    string
	readAt   time.Time
	rejected bool
}

// NewTokenFile returns the token kept at path. Nothing is read yet.
func NewTokenFile(path string, o TokenFileOptions) *TokenFile {
	if o.RefreshInterval == 0 {
		o.RefreshInterval = defaultTokenRefresh
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultTokenMaxBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	f := &TokenFile{path: path, opts: o, state: &tokenState{token: o.Initial}}
	f.opts.Initial = ""
	return f
}

// Token returns the present token. It has the signature of Config.Token; the
// context is not used, because reading a local file cannot be cancelled.
//
// The error is a *ConfigError, and only returned when there is no token to fall
// back on: the file was never read, or the server rejected what it last held.
func (f *TokenFile) Token(context.Context) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.opts.Now()
	if f.fresh(now) {
		return f.state.token, nil
	}
	token, err := f.read()
	if err != nil {
		if f.state.token != "" && !f.state.rejected {
			return f.state.token, nil
		}
		return "", err
	}
	*f.state = tokenState{token: token, readAt: now}
	return token, nil
}

// fresh says whether the token can be used without looking at the file.
func (f *TokenFile) fresh(now time.Time) bool {
	switch {
	case f.state.rejected || f.state.readAt.IsZero():
		return false
	case f.opts.RefreshInterval < 0:
		return true
	}
	age := now.Sub(f.state.readAt)
	// A clock set back must not keep an old token alive.
	return age >= 0 && age < f.opts.RefreshInterval
}

// Rejected tells that the server answered 401 to this token: the next Token
// reads the file again. The rejection of an older token than the present one is
// ignored. It has the signature of Config.TokenRejected.
func (f *TokenFile) Rejected(token string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if token == f.state.token {
		f.state.rejected = true
	}
}

// Path returns the file's path.
func (f *TokenFile) Path() string { return f.path }

// String names the file, never the token.
func (f *TokenFile) String() string { return "token file " + quotePath(f.path) }

func (f *TokenFile) read() (string, error) {
	data, err := readFile(f.path, f.opts.MaxBytes)
	if err != nil {
		return "", &ConfigError{Field: f.String(), Rule: "cannot be read", Err: err}
	}
	token := strings.TrimSpace(string(data))
	if rule := tokenRule(token); rule != "" {
		return "", &ConfigError{Field: f.String(), Rule: rule}
	}
	return token, nil
}

// tokenRule returns the rule that a bearer token breaks, or "". A token is
// visible ASCII without blanks, a superset of RFC 6750 section 2.1's b64token:
// anything else would end, split or smuggle a header line.
func tokenRule(token string) string {
	if token == "" {
		return "is empty"
	}
	for i := range len(token) {
		switch c := token[i]; {
		case c == '\n' || c == '\r':
			return fmt.Sprintf("holds more than one line (offset %d)", i)
		case c <= ' ' || c > '~':
			return fmt.Sprintf("holds byte 0x%02x at offset %d, which no bearer token may contain", c, i)
		}
	}
	return ""
}
