package rest

import (
	"context"
	"errors"
	"net/url"
)

// credentials are what one request is authorised with.
type credentials struct {
	header string // value of Authorization, "" for none
	token  string // the bearer token in it
}

func (c *Client) hasCredentials() bool { return c.cfg.Token != nil || c.cfg.Username != "" }

// authorize asks for the token of one request. Through a proxy, plain http is in the clear for the proxy, loopback or not.
func (c *Client) authorize(ctx context.Context, proxy *url.URL) (credentials, error) {
	if !c.hasCredentials() {
		return credentials{}, nil
	}
	if c.origin.scheme == "http" && proxy != nil && !c.cfg.AllowTokenOverHTTP {
		return credentials{}, refuseCleartext(c.origin.host)
	}
	if c.cfg.Token == nil {
		return credentials{header: basicAuth(c.cfg.Username, c.cfg.Password)}, nil
	}
	token, err := c.cfg.Token(ctx)
	if err == nil {
		err = checkToken(token)
	}
	if err != nil {
		return credentials{}, &Error{Phase: PhaseAuth, Err: err}
	}
	return credentials{header: "Bearer " + token, token: token}, nil
}

// checkToken keeps a token to one visible word (RFC 6750 2.1), so that a file with two lines cannot write a second field.
func checkToken(token string) error {
	if token == "" {
		return errors.New("the token is empty")
	}
	for i := range len(token) {
		if token[i] <= ' ' || token[i] >= 0x7f {
			return errors.New("the token holds a space, a line end or another byte that no token has")
		}
	}
	return nil
}

func refuseCleartext(host string) error {
	return &Error{
		Phase: PhaseConfig, Rule: "credentials over plain http to " + quote(host),
		hint: "use https://, or set AllowTokenOverHTTP if everybody on the way may read them",
	}
}
