package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"net/url"
)

// credentials are what one request is authorised with.
type credentials struct {
	header      string           // value of Authorization, "" for none
	token       string           // the bearer token in it
	certificate *tls.Certificate // by Config.Credentials
}

func (c *Client) hasCredentials() bool {
	return c.cfg.Token != nil || c.cfg.Username != "" || c.cfg.Credentials != nil
}

// authorize asks for the token of one request. Through a proxy, plain http is in the clear for the proxy, loopback or not.
func (c *Client) authorize(ctx context.Context, proxy *url.URL) (credentials, error) {
	if !c.hasCredentials() {
		return credentials{}, nil
	}
	if c.origin.scheme == "http" && proxy != nil && !c.cfg.AllowTokenOverHTTP {
		return credentials{}, refuseCleartext(c.origin.host)
	}
	var cred credentials
	var err error
	switch {
	case c.cfg.Token != nil:
		cred.token, err = c.cfg.Token(ctx)
	case c.cfg.Username != "":
		cred.header = basicAuth(c.cfg.Username, c.cfg.Password)
		return cred, nil
	default:
		cred.token, cred.certificate, err = c.cfg.Credentials.Credential(ctx)
		if err == nil && cred.token == "" && cred.certificate != nil {
			return cred, nil
		}
	}
	if err == nil {
		err = checkToken(cred.token)
	}
	if err != nil {
		return credentials{}, &Error{Phase: PhaseAuth, Err: err}
	}
	cred.header = "Bearer " + cred.token
	return cred, nil
}

// rejected tells whoever gave a credential that it was answered with 401.
func (c *Client) rejected(cred credentials) {
	switch {
	case c.cfg.Token != nil && c.cfg.TokenRejected != nil:
		c.cfg.TokenRejected(cred.token)
	case c.cfg.Token == nil && c.cfg.Username == "" && c.cfg.Credentials != nil:
		c.cfg.Credentials.Rejected(cred.token, cred.certificate)
	}
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

//go:noinline // it is rare
func refuseCleartext(host string) error {
	return &Error{
		Phase: PhaseConfig, Rule: "credentials over plain http to " + quote(host),
		hint: "use https://, or set AllowTokenOverHTTP if everybody on the way may read them",
	}
}
