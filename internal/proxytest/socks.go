package proxytest

import (
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// SOCKS is a SOCKS5 server (RFC 1928, RFC 1929) that knows CONNECT.
type SOCKS struct {
	listener       net.Listener
	Tunnels        *Tunnels
	user, password string
	work           sync.WaitGroup
}

// StartSOCKS starts one that ends with the test; an empty user lets anybody through.
func StartSOCKS(t testing.TB, user, password string) *SOCKS {
	t.Helper()
	p := &SOCKS{listener: listen(t), Tunnels: &Tunnels{}, user: user, password: password}
	p.work.Go(func() {
		for {
			c, err := p.listener.Accept()
			if err != nil {
				return
			}
			p.work.Go(func() {
				_ = c.SetDeadline(time.Now().Add(10 * time.Second))
				upstream, err := p.negotiate(c)
				if err != nil {
					c.Close()
					return
				}
				_ = c.SetDeadline(time.Time{})
				p.Tunnels.join(c, upstream)
			})
		}
	})
	t.Cleanup(func() {
		p.listener.Close()
		p.work.Wait()
		p.Tunnels.Cut()
		p.Tunnels.work.Wait()
	})
	return p
}

// Addr is host:port.
func (p *SOCKS) Addr() string { return p.listener.Addr().String() }

var errSOCKS = errors.New("refused")

func (p *SOCKS) negotiate(c net.Conn) (net.Conn, error) {
	methods, err := counted(c, 1) // version, then methods
	if err != nil {
		return nil, err
	}
	want := byte(0)
	if p.user != "" {
		want = 2
	}
	if !strings.Contains(string(methods), string(rune(want))) {
		c.Write([]byte{5, 0xff})
		return nil, errSOCKS
	}
	c.Write([]byte{5, want})
	if p.user != "" {
		user, err := counted(c, 1) // version of the login, then the name
		if err != nil {
			return nil, err
		}
		password, err := counted(c, 0)
		if err != nil {
			return nil, err
		}
		if string(user) != p.user || string(password) != p.password {
			c.Write([]byte{1, 1})
			return nil, errSOCKS
		}
		c.Write([]byte{1, 0})
	}
	head := make([]byte, 4)
	if _, err := io.ReadFull(c, head); err != nil {
		return nil, err
	}
	var host []byte
	switch head[3] {
	case 1:
		host = make([]byte, 4)
		_, err = io.ReadFull(c, host)
		host = []byte(net.IP(host).String())
	case 3:
		host, err = counted(c, 0)
	default:
		err = errSOCKS
	}
	port := make([]byte, 2)
	if _, err2 := io.ReadFull(c, port); err != nil || err2 != nil {
		return nil, errors.Join(err, err2)
	}
	upstream, err := net.Dial("tcp", net.JoinHostPort(string(host), strconv.Itoa(int(port[0])<<8|int(port[1]))))
	if err != nil {
		c.Write([]byte{5, 5, 0, 1, 0, 0, 0, 0, 0, 0})
		return nil, err
	}
	c.Write([]byte{5, 0, 0, 1, 127, 0, 0, 1, 0, 0})
	return upstream, nil
}

// counted skips bytes and reads as many as the next one says.
func counted(c net.Conn, skip int) ([]byte, error) {
	head := make([]byte, skip+1)
	if _, err := io.ReadFull(c, head); err != nil {
		return nil, err
	}
	b := make([]byte, head[skip])
	_, err := io.ReadFull(c, b)
	return b, err
}
