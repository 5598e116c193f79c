package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/internal/wiretest"
)

// halves joins what a proxy says with a place for what it is told.
type halves struct {
	io.Reader
	io.Writer
}

func parseProxy(t testing.TB, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// What is sent, and what each answer means; answers arrive in pieces of any size, and one that is cut is never an agreement.
func TestSOCKS5(t *testing.T) {
	const plain, login = "socks5://proxy.example", "socks5h://user:pa%20ss@proxy.example:1081"
	greeted, sent := "\x05\x00", "\x05\x01\x00"+"\x05\x01\x00\x03\x0bapi.example\x19\x2b"
	loggedIn, sentLogin := "\x05\x02\x01\x00", "\x05\x01\x02"+"\x01\x04user\x05pa ss"+"\x05\x01\x00\x03\x0bapi.example\x19\x2b"
	for _, test := range []struct {
		name, proxy, host, answer string
		sent                      string
		err                       string // "" is a connection
		offset                    int64  // of the byte at fault, when it is the protocol
	}{
		{name: "bound to IPv4", proxy: plain, answer: greeted + "\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50", sent: sent},
		{name: "bound to IPv6", proxy: plain, answer: greeted + "\x05\x00\x00\x04" + strings.Repeat("\x01", 16) + "\x00\x50", sent: sent},
		{name: "bound to a name", proxy: plain, answer: greeted + "\x05\x00\x00\x03\x04host\x00\x50", sent: sent},
		{name: "bound to a name of no bytes", proxy: plain, answer: greeted + "\x05\x00\x00\x03\x00\x00\x50", sent: sent},
		{name: "bound to the longest name", proxy: plain, answer: greeted + "\x05\x00\x00\x03\xff" + strings.Repeat("x", 255) + "\x00\x50", sent: sent},
		{name: "with a login", proxy: login, answer: loggedIn + "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", sent: sentLogin},
		{name: "to an IPv4 address", proxy: plain, host: "10.1.2.3", answer: greeted + "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", sent: "\x05\x01\x00\x05\x01\x00\x01\x0a\x01\x02\x03\x19\x2b"},
		{name: "to an IPv6 address", proxy: plain, host: "fd00::1", answer: greeted + "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", sent: "\x05\x01\x00\x05\x01\x00\x04\xfd\x00" + strings.Repeat("\x00", 13) + "\x01\x19\x2b"},

		{name: "no login is good enough", proxy: plain, answer: "\x05\xff", err: "accepts none of the logins"},
		{name: "a login is wanted that was not offered", proxy: plain, answer: "\x05\x02", err: "method 0x02, which was not offered", offset: 1},
		{name: "no login is wanted where one was offered", proxy: login, answer: "\x05\x00", err: "method 0x00, which was not offered", offset: 1},
		{name: "GSSAPI", proxy: plain, answer: "\x05\x01", err: "method 0x01", offset: 1},
		{name: "SOCKS4", proxy: plain, answer: "\x00\x5a", err: "version 0 of SOCKS"},
		{name: "HTTP", proxy: plain, answer: "HTTP/1.1 400 Bad Request\r\n\r\n", err: "version 72 of SOCKS"},
		{name: "a wrong password", proxy: login, answer: "\x05\x02\x01\x01", err: "refused user and password (status 1)"},
		{name: "a login of another version", proxy: login, answer: "\x05\x02\x05\x00", err: "version 5 of the login", offset: 2},
		{name: "another version in the answer", proxy: plain, answer: greeted + "\x04\x00\x00\x01", err: "version 4 of SOCKS", offset: 2},
		{name: "a reserved byte", proxy: plain, answer: greeted + "\x05\x00\x01\x01", err: "reserved byte", offset: 4},
		{name: "an address of no type", proxy: plain, answer: greeted + "\x05\x00\x00\x02", err: "type 2", offset: 5},
		{name: "a general failure", proxy: plain, answer: greeted + "\x05\x01\x00\x01", err: "general failure"},
		{name: "forbidden", proxy: plain, answer: greeted + "\x05\x02\x00\x01", err: "not allowed by its rules"},
		{name: "no such host", proxy: plain, answer: greeted + "\x05\x04\x00\x01", err: "host unreachable"},
		{name: "refused", proxy: plain, answer: greeted + "\x05\x05\x00\x01", err: "connection refused"},
		{name: "a reply of no meaning", proxy: plain, answer: greeted + "\x05\x09\x00\x01", err: "reply 0x09"},
	} {
		host := test.host
		if host == "" {
			host = "api.example"
		}
		const rest = "what follows belongs to TLS"
		proxy := parseProxy(t, test.proxy)
		for split, r := range wiretest.EverySplit([]byte(test.answer + rest)) {
			var sent bytes.Buffer
			err := SOCKS5(halves{r, &sent}, proxy, host, "6443")
			if test.err == "" {
				left, _ := io.ReadAll(r)
				if err != nil || sent.String() != test.sent || string(left) != rest {
					t.Errorf("%s, %s: %v, sent %q, left %q", test.name, split, err, sent.String(), left)
				}
				continue
			}
			e := asError(t, err)
			if !strings.Contains(e.Error(), test.err) || e.Phase != PhaseProxy || e.Protocol() && e.Offset != test.offset || e.Protocol() == (e.Err != nil) || e.Hint() == "" {
				t.Errorf("%s, %s: %v (%s)", test.name, split, e, e.Hint())
			}
		}
		for n, r := range wiretest.EveryCut([]byte(test.answer)) {
			e := asError(t, SOCKS5(halves{r, io.Discard}, proxy, host, "6443"))
			if short := errors.Is(e, io.ErrUnexpectedEOF); e.Phase != PhaseProxy || !short && test.err == "" {
				t.Errorf("%s, cut at %d: %v", test.name, n, e)
			}
		}
	}
}

func TestSOCKS5TargetsAndLoginsThatCannotBeSent(t *testing.T) {
	long := strings.Repeat("x", 256)
	for name, test := range map[string]struct{ proxy, host, port string }{
		"a zone":          {"socks5://p", "fe80::1%eth0", "1"},
		"a long host":     {"socks5://p", long, "1"},
		"no host":         {"socks5://p", "", "1"},
		"a port":          {"socks5://p", "h", "65536"},
		"a long user":     {"socks5://" + long + ":x@p", "h", "1"},
		"a long password": {"socks5://x:" + long + "@p", "h", "1"},
		"no user":         {"socks5://:x@p", "h", "1"},
	} {
		err := SOCKS5(halves{strings.NewReader("\x05\x02"), io.Discard}, parseProxy(t, test.proxy), test.host, test.port)
		if e := asError(t, err); e.Phase != PhaseConfig || strings.Contains(err.Error(), long) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// socksProxy is a SOCKS5 proxy for tests. The login is "user", "pa ss", if it wants one.
func socksProxy(conn net.Conn, login bool, to func(address string) (net.Conn, error)) error {
	defer conn.Close()
	read := func(n int) []byte {
		b := make([]byte, n)
		io.ReadFull(conn, b)
		return b
	}
	methods := read(int(read(2)[1]))
	want := byte(0)
	if login {
		want = 2
	}
	if !bytes.Contains(methods, []byte{want}) {
		conn.Write([]byte{5, 0xff})
		return fmt.Errorf("methods %x", methods)
	}
	conn.Write([]byte{5, want})
	if login {
		user := read(int(read(2)[1]))
		password := read(int(read(1)[0]))
		if string(user) != "user" || string(password) != "pa ss" {
			conn.Write([]byte{1, 1})
			return fmt.Errorf("login %q %q", user, password)
		}
		conn.Write([]byte{1, 0})
	}
	var host string
	switch head := read(4); head[3] {
	case 1, 4:
		host = net.IP(read(map[byte]int{1: 4, 4: 16}[head[3]])).String()
	default:
		host = string(read(int(read(1)[0])))
	}
	port := read(2)
	up, err := to(net.JoinHostPort(host, itoa(int(port[0])<<8|int(port[1]))))
	if err != nil {
		conn.Write([]byte{5, 5, 0, 1, 0, 0, 0, 0, 0, 0})
		return err
	}
	defer up.Close()
	conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	go func() { io.Copy(up, conn); up.Close() }()
	_, _ = io.Copy(conn, up)
	return nil
}

// The same proxy serves net/http and us; what it makes of both is the same.
func TestAServerIsReachedThroughASOCKSProxy(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "hello "+r.Header.Get("Authorization"))
	}))
	defer server.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	targets := make(chan string, 8)
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go socksProxy(conn, true, func(address string) (net.Conn, error) {
				targets <- address
				return net.Dial("tcp", server.Listener.Addr().String())
			})
		}
	}()
	defer func() { listener.Close(); <-served }()
	proxy := parseProxy(t, "socks5://user:pa%20ss@"+listener.Addr().String())

	control := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: clientTLS(server), DisableKeepAlives: true}}
	response, err := control.Get("https://api.example:6443/")
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
	c, err := NewClient(Config{
		Server: "https://api.example:6443", TLS: clientTLS(server), SOCKS5: SOCKS5, Token: fixedToken("secret"),
		Proxy: func(*url.URL) (*url.URL, error) { return proxy, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		if o := fetch(t, c, Request{Path: "/"}); o.Body != "hello Bearer secret" || !o.Kept {
			t.Fatalf("%+v", o)
		}
	}
	if theirs, ours := <-targets, <-targets; theirs != ours || ours != "api.example:6443" {
		t.Errorf("net/http asked for %s, we for %s", theirs, ours)
	}
	if s := c.Stats(); s.Dials != 1 {
		t.Errorf("%+v", s)
	}
}

func TestASOCKSProxyIsDialledOnItsOwnPortAndItsErrorsAreExplained(t *testing.T) {
	var dialled string
	c, err := NewClient(Config{
		Server: "https://api.example", SOCKS5: SOCKS5, Proxy: through("socks5h://user:hunter2@proxy.example"),
		Dial: func(_ context.Context, network, addr string) (net.Conn, error) {
			dialled = network + " " + addr
			return newScript(io.EOF, []byte("\x05\x02\x01\x07")), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Do(t.Context(), Request{Path: "/"})
	e := asError(t, err)
	refused, ok := errors.AsType[*SOCKSError](err)
	if dialled != "tcp proxy.example:1080" || e.Addr != "proxy.example:1080" || !ok || !refused.Login || strings.Contains(Explain(err), "hunter2") {
		t.Errorf("%s: %v", dialled, Explain(err))
	}
	if s := c.Stats(); s.Open != 0 || s.Failed != 1 {
		t.Errorf("%+v", s)
	}
}

func TestASilentSOCKSProxyTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{Server: "https://api.example", SOCKS5: SOCKS5, Proxy: through("socks5://proxy.example"), DialTimeout: 4 * time.Second})
		defer c.Close()
		p.run(func() {
			conn := p.accept()
			conn.send("\x05\x00")
			io.Copy(io.Discard, conn)
			conn.Close()
		})
		start := time.Now()
		o := fetch(t, c, Request{Path: "/"})
		if e := asError(t, o.Err); e.Phase != PhaseProxy || !e.Timeout() || time.Since(start) != 4*time.Second {
			t.Errorf("after %v: %v", time.Since(start), e)
		}
	})
}

func FuzzSOCKS5(f *testing.F) {
	f.Add([]byte("\x05\x00\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50"), false)
	f.Add([]byte("\x05\x02\x01\x00\x05\x00\x00\x03\x04host\x00\x50"), true)
	f.Add([]byte("\x05\xff"), true)
	f.Fuzz(func(t *testing.T, answer []byte, login bool) {
		proxy := &url.URL{Scheme: "socks5", Host: "p"}
		if login {
			proxy.User = url.UserPassword("user", "password")
		}
		r := bytes.NewReader(answer)
		err := SOCKS5(halves{r, io.Discard}, proxy, "host", "443")
		if _, ok := errors.AsType[*Error](err); err != nil && !ok {
			t.Fatalf("%T: %v", err, err)
		}
		if read := len(answer) - r.Len(); read > 4+4+1+255+2 || err == nil && read < 2+4+1+2 {
			t.Fatalf("%d bytes were read", read)
		}
	})
}
