package rest

import (
	"context"
	"errors"
)

// Client talks to one API server. It is safe for use by several goroutines. Close it when done.
type Client struct {
	cfg Config
}

// NewClient checks the configuration, reads its files and returns a client. It does not connect. Errors are *Error of PhaseConfig.
func NewClient(c Config) (*Client, error) { return &Client{cfg: c}, nil }

// Origin returns scheme://host:port of the server, without a path prefix.
func (c *Client) Origin() string { return "" }

// Do sends one request and returns the head of a 2xx response with its body unread. ctx governs the body too, until it has been closed or read to its end.
//
// A non-2xx response is a *status.Error, a 3xx a *RedirectError; failures below that are an *Error. After a 401 Config.TokenRejected has been told.
// A GET, HEAD or OPTIONS that hit a kept connection which turned out dead is sent once more on a new one, if no byte of a response had come.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	return nil, errors.New("rest: not yet built")
}

// Stats returns the client's counters.
func (c *Client) Stats() Stats { return Stats{} }

// Close closes every connection, those in use too, and makes further calls of Do fail. It returns nil.
func (c *Client) Close() error { return nil }
