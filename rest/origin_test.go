package rest

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
)

// elsewhere is a connection to some address.
type elsewhere struct {
	*script
	to net.Addr
}

func (e elsewhere) RemoteAddr() net.Addr { return e.to }

// localhost is what the resolver makes of it, and it may have asked the network: credentials over plain http are sent only where the connection leads to
// this machine.
func TestANameOfLoopbackIsHeldToIt(t *testing.T) {
	there, here := &net.TCPAddr{IP: net.IPv4(203, 0, 113, 1), Port: 80}, &net.TCPAddr{IP: net.IPv6loopback, Port: 80}
	for _, test := range []struct {
		name   string
		to     net.Addr
		config Config
		sent   bool
	}{
		{"a token that stays", here, Config{Server: "http://localhost", Token: fixedToken("planted")}, true},
		{"a token that would leave", there, Config{Server: "http://localhost", Token: fixedToken("planted")}, false},
		{"a name below it", there, Config{Server: "http://api.localhost", Username: "u", Password: "planted"}, false},
		{"allowed by the caller", there, Config{Server: "http://localhost", Token: fixedToken("planted"), AllowTokenOverHTTP: true}, true},
		{"nothing to lose", there, Config{Server: "http://localhost"}, true},
		{"TLS verifies whom it tells", there, Config{Server: "https://localhost", Token: fixedToken("planted")}, true},
	} {
		s := newScript(io.EOF, []byte(hello))
		c, err := NewClient(test.config)
		if err != nil {
			t.Fatal(err)
		}
		c.dialFunc = func(context.Context, string, string) (net.Conn, error) { return elsewhere{s, test.to}, nil } // as net.Dialer would
		_, err = c.Do(t.Context(), Request{Path: "/"})
		refused := err != nil && strings.Contains(err.Error(), "credentials over plain http to ")
		if refused == test.sent || (s.written() != "") != test.sent || test.sent != (asErrorPhase(err) != PhaseConfig) {
			t.Errorf("%s: %v, wrote %d bytes", test.name, err, len(s.written()))
		}
		c.Close()
	}
}

func asErrorPhase(err error) Phase {
	if e, ok := err.(*Error); ok {
		return e.Phase
	}
	return ""
}
