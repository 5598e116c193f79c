package rest

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// timed runs f and returns how long it took.
func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func TestADialThatNeverEndsTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for limit, want := range map[time.Duration]time.Duration{0: defaultDialTimeout, 3 * time.Second: 3 * time.Second} {
			c, err := NewClient(Config{Server: "http://127.0.0.1", Dial: blockedDial, DialTimeout: limit})
			if err != nil {
				t.Fatal(err)
			}
			var o outcome
			took := timed(func() { o = fetch(t, c, Request{Path: "/"}) })
			if e := asError(t, o.Err); e.Phase != PhaseDial || !e.Timeout() || took != want {
				t.Errorf("after %v: %v", took, e)
			}
			if s := c.Stats(); s.Dials != 1 || s.Failed != 1 || s.Open != 0 {
				t.Errorf("%+v", s)
			}
		}
	})
}

// The limit is on the whole head: neither a trickle of bytes nor informational responses extend it.
func TestAHeadThatNeverEndsTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, trickle := range map[string]string{"silent": "", "a byte a second": "x", "an informational response a second": "HTTP/1.1 100 Continue\r\n\r\n"} {
			for _, test := range []struct{ client, request, want time.Duration }{
				{0, 0, defaultHeadTimeout}, {5 * time.Second, 0, 5 * time.Second}, {5 * time.Second, 9 * time.Second, 9 * time.Second},
			} {
				p := newPeer(t)
				c := p.client(Config{HeadTimeout: test.client, MaxInformational: -1})
				p.run(func() {
					conn := p.accept()
					conn.head()
					if trickle == "x" {
						conn.send("HTTP/1.1 200 ")
					}
					for {
						if _, err := conn.Write([]byte(trickle)); err != nil || trickle == "" {
							break
						}
						time.Sleep(time.Second)
					}
					conn.head()
					conn.Close()
				})
				var o outcome
				took := timed(func() { o = fetch(t, c, Request{Path: "/", HeadTimeout: test.request}) })
				if e := asError(t, o.Err); e.Phase != PhaseHead || !e.Timeout() || took != test.want {
					t.Errorf("%s: after %v: %v", name, took, e)
				}
				c.Close()
				p.close()
			}
		}
	})
}

func TestATimeoutThatIsOffNeverRunsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{HeadTimeout: -1, IdleTimeout: -1, DialTimeout: -1, TLSTimeout: -1})
		defer c.Close()
		p.run(func() {
			conn := p.accept()
			conn.head()
			time.Sleep(24 * time.Hour)
			conn.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel")
			time.Sleep(24 * time.Hour)
			conn.send("lo")
			conn.head()
			conn.Close()
		})
		if o := fetch(t, c, Request{Path: "/"}); o.Body != "hello" {
			t.Errorf("%+v", o)
		}
	})
}

// stream answers one request with a chunk every pause, times times, and is silent then.
func (p *peer) stream(pause time.Duration, times int) {
	p.run(func() {
		conn := p.accept()
		conn.head()
		conn.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
		for range times {
			time.Sleep(pause)
			conn.send("5\r\nhello\r\n")
		}
		conn.head()
		conn.Close()
	})
}

// The idle limit is on each read, so that a watch may live for ever while it is spoken to.
func TestASilentBodyTimesOutAfterItsLastByte(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct{ client, request, want time.Duration }{
			{0, 0, defaultIdleTimeout}, {20 * time.Second, 0, 20 * time.Second}, {20 * time.Second, 30 * time.Second, 30 * time.Second},
		} {
			p := newPeer(t)
			c := p.client(Config{IdleTimeout: test.client})
			p.stream(19*time.Second, 100)
			var o outcome
			took := timed(func() { o = fetch(t, c, Request{Path: "/", IdleTimeout: test.request}) })
			if e := asError(t, o.Err); e.Phase != PhaseBody || !e.Timeout() || took != 1900*time.Second+test.want {
				t.Errorf("after %v: %v", took, e)
			}
			if errors.Is(o.Err, io.EOF) || len(o.Body) != 500 {
				t.Errorf("%d bytes, %v", len(o.Body), o.Err)
			}
			c.Close()
			p.close()
		}
	})
}

// The time a reader takes between two reads is its own.
func TestASlowReaderIsNotASilentPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{IdleTimeout: 10 * time.Second})
		defer c.Close()
		p.stream(time.Second, 5)
		r, err := c.Do(t.Context(), Request{Path: "/"})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		buf := make([]byte, 5)
		for i := range 5 {
			if _, err := io.ReadFull(r.Body, buf); err != nil {
				t.Fatalf("read %d: %v", i, err)
			}
			time.Sleep(time.Hour)
		}
	})
}

func TestSetIdleTimeoutBindsAReadThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			at, set, want time.Duration // set after at; the read ends want after its start
		}{
			{0, 40 * time.Second, 40 * time.Second},
			{5 * time.Second, 40 * time.Second, 40 * time.Second},
			{5 * time.Second, 6 * time.Second, 6 * time.Second},
			{30 * time.Second, 6 * time.Second, 30 * time.Second}, // already over
			{30 * time.Second, 0, time.Minute},                    // the client's
			{30 * time.Second, -1, time.Hour},                     // off, until the context ends
		} {
			p := newPeer(t)
			c := p.client(Config{IdleTimeout: time.Minute})
			p.stream(time.Second, 1)
			r, err := c.Do(t.Context(), Request{Path: "/"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(r.Body, make([]byte, 5)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour) // between two reads nothing runs
			if test.at == 0 {
				r.Body.SetIdleTimeout(test.set)
			} else {
				time.AfterFunc(test.at, func() { r.Body.SetIdleTimeout(test.set) })
			}
			time.AfterFunc(time.Hour, func() { r.Body.Close() })
			took := timed(func() { _, err = r.Body.Read(make([]byte, 1)) })
			if took != test.want || err == nil || err == io.EOF {
				t.Errorf("%+v: after %v: %v", test, took, err)
			}
			r.Body.Close()
			c.Close()
			p.close()
			time.Sleep(2 * time.Hour)
		}
	})
}

// An error's body is short, so the limit is on all of it: a trickle cannot hold the caller for ever.
func TestAnErrorThatTricklesIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{HeadTimeout: 10 * time.Second})
		defer c.Close()
		p.run(func() {
			conn := p.accept()
			conn.head()
			conn.send("HTTP/1.1 503 X\r\nContent-Length: 1000\r\n\r\n")
			for {
				time.Sleep(time.Second)
				if _, err := conn.Write([]byte("x")); err != nil {
					break
				}
			}
			conn.Close()
		})
		var o outcome
		took := timed(func() { o = fetch(t, c, Request{Path: "/"}) })
		if said(o) != "error 503 close" || took != 10*time.Second {
			t.Errorf("after %v: %s", took, said(o))
		}
	})
}

// The idle limit of the response before has nothing to say about the head of the next one.
func TestAHeadOnAKeptConnectionHasItsOwnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{HeadTimeout: time.Hour, IdleTimeout: time.Minute})
		defer c.Close()
		p.run(func() {
			conn := p.accept()
			conn.head()
			conn.send(hello)
			conn.head()
			time.Sleep(30 * time.Minute)
			conn.send(hello)
			conn.head()
			conn.Close()
		})
		for range 2 {
			if o := fetch(t, c, Request{Path: "/"}); o.Body != "hello" {
				t.Errorf("%+v", o)
			}
		}
		if s := c.Stats(); s.Dials != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// An unused connection has no deadline: one that ran out meanwhile would make a live socket look dead.
func TestAnUnusedConnectionHasNoDeadline(t *testing.T) {
	s := &clocked{script: newScript(errSilent, []byte(hello[:len(hello)-2]), []byte("lo"))}
	c := scripted(t, Config{}, s)
	if o := fetch(t, c, Request{Path: "/"}); !o.Kept || !s.last.IsZero() {
		t.Errorf("%+v, deadline %v", o, s.last)
	}
}

// clocked remembers its last deadline.
type clocked struct {
	*script
	last time.Time
}

func (c *clocked) SetDeadline(t time.Time) error { c.last = t; return nil }
