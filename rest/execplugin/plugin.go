package execplugin

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"sync"
)

// Plugin is one exec entry: it runs the program when a credential is wanted and the last one has expired or was refused. It is safe for concurrent use;
// one run serves all who wait. Printing it shows the command alone.
type Plugin struct {
	opts     Options
	config   Config
	folder   string // relative commands start there; "" is the working folder
	info     string // value of KUBERNETES_EXEC_INFO
	terminal bool   // the plugin may use Options.Terminal

	turn chan struct{} // holds a token while the program runs

	mu   sync.Mutex
	last *credential // nil: none yet, or refused
	cert *credential // the last one that had a certificate, so that an unchanged one keeps its address
}

// Credential implements rest.CredentialSource. A run is ended with ctx, and then serves nobody.
func (p *Plugin) Credential(ctx context.Context) (token string, cert *tls.Certificate, err error) {
	c := p.cached()
	if c == nil {
		select {
		case p.turn <- struct{}{}:
		case <-ctx.Done():
			return "", nil, context.Cause(ctx)
		}
		defer func() { <-p.turn }()
		if c = p.cached(); c == nil { // nobody ran it while we waited
			if c, err = p.run(ctx); err != nil {
				return "", nil, err
			}
			p.keep(c)
		}
	}
	return c.token, c.cert, nil
}

func (p *Plugin) cached() *credential {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil || !p.last.usable(p.opts.Now()) {
		return nil
	}
	return p.last
}

func (p *Plugin) keep(c *credential) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case c.cert == nil:
	case p.cert != nil && p.cert.pem == c.pem:
		c.cert = p.cert.cert
	default:
		p.cert = c
	}
	p.last = c
}

// Rejected implements rest.CredentialSource: the next Credential runs the program, unless it has been run since.
func (p *Plugin) Rejected(token string, cert *tls.Certificate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil && p.last.token == token && p.last.cert == cert {
		p.last = nil
	}
}

// String names the command.
func (p *Plugin) String() string { return p.config.String() }

// Format implements fmt.Formatter: every verb prints String.
func (p *Plugin) Format(s fmt.State, _ rune) { io.WriteString(s, p.String()) }

// MarshalText implements encoding.TextMarshaler, and JSON with it.
func (p *Plugin) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// LogValue implements slog.LogValuer.
func (p *Plugin) LogValue() slog.Value { return slog.StringValue(p.String()) }
