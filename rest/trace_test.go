package rest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// recorder is a Trace that writes one line per event.
func recorder(lines *[]string) *Trace {
	start := time.Now()
	add := func(at time.Time, format string, args ...any) {
		*lines = append(*lines, fmt.Sprintf("%v ", at.Sub(start))+fmt.Sprintf(format, args...))
	}
	return &Trace{
		DialStart: func(i DialStart) { add(i.Time, "dial %d %s", i.Conn, i.Addr) },
		DialDone:  func(i DialDone) { add(i.Time, "dialled %d %v %v", i.Conn, i.RemoteAddr != "", i.Err) },
		Request:   func(i RequestSent) { add(i.Time, "> %d %q +%d", i.Conn, i.Lines[0], i.Body) },
		Head: func(i HeadReceived) {
			add(i.Time, "< %d %q %v %d after %v", i.Conn, i.Lines[0], i.Framing, i.ContentLength, i.Duration)
		},
		Chunk: func(i ChunkReceived) {
			add(i.Time, "chunk %d @%d (%d) +%d %q", i.Conn, i.Offset, i.WireOffset, i.Size, i.Extension)
		},
		BodyEnd: func(i BodyEnd) {
			add(i.Time, "end %d %d/%d complete %v reusable %v: %v", i.Conn, i.Bytes, i.Wire, i.Complete, i.Reusable, i.Err)
		},
		CloseConn: func(i ConnClosed) { add(i.Time, "closed %d %s, %d requests: %s", i.Conn, i.Side, i.Requests, i.Reason) },
	}
}

func TestATraceTellsTheWholeStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		var lines []string
		c := p.client(Config{Trace: recorder(&lines)})
		p.run(func() {
			conn := p.accept()
			conn.head()
			time.Sleep(time.Second)
			conn.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n")
			time.Sleep(time.Second)
			conn.send("3\r\nabc\r\n0\r\n\r\n")
			conn.head()
			conn.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel")
			time.Sleep(time.Second)
			conn.Close()
		})
		fetch(t, c, Request{Path: "/a", Query: map[string][]string{"watch": {"1"}}})
		fetch(t, c, Request{Path: "/b"})
		c.Close()
		want := []string{
			"0s dial 1 127.0.0.1:8001",
			"0s dialled 1 true <nil>",
			`0s > 1 "GET /a?watch=1 HTTP/1.1" +0`,
			`1s < 1 "HTTP/1.1 100 Continue" no body -1 after 1s`,
			`1s < 1 "HTTP/1.1 200 OK" chunked -1 after 1s`,
			`1s chunk 1 @0 (0) +5 ";x=y"`,
			`2s chunk 1 @5 (14) +3 ""`,
			`2s chunk 1 @8 (22) +0 ""`,
			"2s end 1 8/8 complete true reusable true: <nil>",
			`2.001s > 1 "GET /b HTTP/1.1" +0`,
			`2.001s < 1 "HTTP/1.1 200 OK" content-length 5 after 0s`,
			"3.001s end 1 3/3 complete false reusable false: body 127.0.0.1:8001: unexpected EOF",
			"3.001s closed 1 peer FIN, 2 requests: body 127.0.0.1:8001: unexpected EOF",
		}
		// The millisecond is the look at a kept connection that is no socket.
		for i := range lines {
			lines[i] = strings.Replace(lines[i], "2s > 1", "2.001s > 1", 1)
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func TestWhoClosedIsNamed(t *testing.T) {
	const open = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
	for _, test := range []struct {
		name string
		play func(*peerConn)
		stop func(*Response, *Client)
		side Side
	}{
		{"the peer", func(c *peerConn) { c.send(open); c.Close() }, nil, SidePeerFIN},
		{"the peer, by reset", func(c *peerConn) { c.send(open); c.Conn.(interface{ Reset() }).Reset() }, nil, SidePeerRST},
		{"the peer, as it said", func(c *peerConn) { c.send("HTTP/1.1 200 OK\r\n\r\nhello"); c.Close() }, nil, SidePeerFIN},
		{"time", func(c *peerConn) { c.send(open) }, nil, SideTimeout},
		{"we, because of a breach", func(c *peerConn) { c.send(open + "X\r\n") }, nil, SideProtocol},
		{"we, because of bytes after the end", func(c *peerConn) { c.send(hello + hello) }, nil, SideProtocol},
		{"we, asked to close", func(c *peerConn) { c.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello") }, nil, SideLocal},
		{"the caller", func(c *peerConn) { c.send(open) }, func(r *Response, _ *Client) { r.Body.Close() }, SideLocal},
		{"the client's end", func(c *peerConn) { c.send(open) }, func(_ *Response, c *Client) { c.Close() }, SideLocal},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPeer(t)
			var closed []ConnClosed
			c := p.client(Config{Trace: &Trace{CloseConn: func(i ConnClosed) { closed = append(closed, i) }}})
			p.run(func() {
				conn := p.accept()
				conn.head()
				test.play(conn)
				conn.head()
				conn.Close()
			})
			r, err := c.Do(t.Context(), Request{Path: "/"})
			if err != nil {
				t.Fatal(err)
			}
			if test.stop != nil {
				test.stop(r, c)
			}
			io.Copy(io.Discard, r.Body)
			r.Body.Close()
			c.Close()
			p.close()
			if len(closed) != 1 || closed[0].Side != test.side || closed[0].Reason == "" || closed[0].Read == 0 || closed[0].Written == 0 {
				t.Errorf("%s: %+v", test.name, closed)
			}
		})
	}
}

func TestTheClientsAndTheRequestsTraceAreBothTold(t *testing.T) {
	var client, request []string
	s := newScript(io.EOF, []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
	c := scripted(t, Config{Trace: recorder(&client)}, s)
	fetch(t, c, Request{Path: "/", Trace: recorder(&request)})
	for i := range client {
		client[i], request[i] = client[i][strings.Index(client[i], " "):], request[i][strings.Index(request[i], " "):]
	}
	if diff := cmp.Diff(client, request); diff != "" || len(client) != 7 {
		t.Errorf("-client +request:\n%s\n%q", diff, client)
	}
}

func TestAFailedDialIsTraced(t *testing.T) {
	var lines []string
	c := scripted(t, Config{Trace: recorder(&lines)})
	if _, err := c.Do(t.Context(), Request{Path: "/"}); err == nil {
		t.Error("no error")
	}
	if len(lines) != 2 || !strings.Contains(lines[1], "connection refused") {
		t.Errorf("%q", lines)
	}
}

// An empty Trace and half of one are as good as none.
func TestATraceMayHaveNoFuncs(t *testing.T) {
	c := scripted(t, Config{Trace: &Trace{}}, newScript(io.EOF, []byte(hello)))
	if o := fetch(t, c, Request{Path: "/", Trace: &Trace{Head: func(HeadReceived) {}}}); o.Body != "hello" {
		t.Errorf("%+v", o)
	}
}

// endless is a body of small chunks that never ends.
type endless struct{ *script }

func (e *endless) Read(p []byte) (int, error) {
	if n, err := e.script.Read(p); n > 0 {
		return n, err
	}
	return copy(p, "5\r\nhello\r\n"), nil
}

func TestReadingWithoutATraceAllocatesNothing(t *testing.T) {
	c := scripted(t, Config{}, &endless{newScript(nil, []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"))})
	r, err := c.Do(t.Context(), Request{Path: "/"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	buf := make([]byte, 4096)
	if n := testing.AllocsPerRun(1000, func() { r.Body.Read(buf) }); n != 0 {
		t.Errorf("%v allocations per read", n)
	}
}

func TestAStatsCountOfManyRequestsAddsUp(t *testing.T) {
	s, c := netHTTP(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }, Config{})
	done := make(chan error, 50)
	for range cap(done) {
		go func() {
			r, err := c.Do(t.Context(), Request{Path: "/"})
			if err == nil {
				_, err = io.ReadAll(r.Body)
			}
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	st := c.Stats()
	if st.Requests != 50 || st.Dials+st.Reused-st.Retries != 50 || st.InUse != 0 || uint64(st.Open)+st.Closed != st.Dials || st.Idle > defaultMaxIdleConns {
		t.Errorf("%+v", st)
	}
	c.Close()
	s.Close()
}
