package cluster

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Client speaks to the server through net/http: the witness that shares no
// code with what is tested. It is safe for concurrent use.
type Client struct {
	base  string
	token string
	http  *http.Client
}

// Response is an answer, whole.
type Response struct {
	Code   int
	Header http.Header
	Body   []byte
}

// Client returns a client that authenticates with token; "" sends none.
func (c *Cluster) Client(token string) *Client {
	return NewClient(c.URL(), c.CA(), token)
}

// NewClient returns a client for any server; ca may be nil for plain http.
func NewClient(base string, ca []byte, token string) *Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots, NextProtos: []string{"http/1.1"}},
		DisableCompression:  true, // what is compared is what the server sent
		MaxIdleConnsPerHost: 8,
		IdleConnTimeout:     time.Minute,
	}
	return &Client{base: strings.TrimSuffix(base, "/"), token: token, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close drops the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Open sends a request and returns the answer with its body unread: a watch.
// path is a path and query. The caller closes the body.
func (c *Client) Open(ctx context.Context, method, path string, header http.Header, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		request.Header[name] = values
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	return c.http.Do(request)
}

// Do sends a request and reads the answer, whatever its code.
func (c *Client) Do(ctx context.Context, method, path string, header http.Header, body []byte) (*Response, error) {
	response, err := c.Open(ctx, method, path, header, body)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return &Response{Code: response.StatusCode, Header: response.Header, Body: content}, nil
}
