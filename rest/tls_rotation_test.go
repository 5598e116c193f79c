package rest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// memFiles are files that a test in a bubble can change.
type memFiles struct {
	mu    sync.Mutex
	files map[string][]byte
	reads int
}

func (m *memFiles) write(path string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files = make(map[string][]byte)
	}
	m.files[path] = data
}

func (m *memFiles) read(path string, _ int) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	if data := m.files[path]; data != nil {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

// rotating is a client whose CA is in files.
func rotating(t *testing.T, p *peer, m *memFiles, ca *authority, cfg Config) *Client {
	t.Helper()
	m.write("ca", ca.PEM)
	path := filepath.Join(t.TempDir(), "ca") // for NewClient, which reads the disk
	if err := os.WriteFile(path, ca.PEM, 0o600); err != nil {
		t.Fatal(err)
	}
	cfg.Server, cfg.CAFile, cfg.IdleTimeout = "https://api.example", path, -1
	c := p.client(cfg)
	c.tls.readFile = func(_ string, max int) ([]byte, error) { return m.read("ca", max) }
	return c
}

// A watch that goes on for hours does not trust an authority for hours after it was taken out of the file.
func TestAWatchOnAnOldAuthorityEndsWithinTwoIntervals(t *testing.T) {
	for _, test := range []struct {
		name     string
		interval time.Duration
		bound    time.Duration
	}{
		{"the default", 0, 2 * time.Minute},
		{"seconds", 5 * time.Second, 10 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			ca, next := newAuthority(t), newAuthority(t)
			p, m := newPeer(t), &memFiles{}
			defer p.close()
			var closed []ConnClosed
			c := rotating(t, p, m, ca, Config{ReloadInterval: test.interval, Trace: &Trace{CloseConn: func(i ConnClosed) { closed = append(closed, i) }}})
			defer c.Close()
			p.run(func() { p.accept().secure(ca.server("api.example")).stream() })
			r, err := c.Do(t.Context(), Request{Path: "/"})
			if err != nil {
				t.Fatal(err)
			}
			var start time.Time
			time.AfterFunc(3*time.Hour+time.Second, func() { start = time.Now(); m.write("ca", next.PEM) })
			_, err = io.Copy(io.Discard, r.Body)
			if took := time.Since(start); !errors.Is(err, errRotated) || !errors.Is(err, io.ErrUnexpectedEOF) || start.IsZero() || took > test.bound {
				t.Errorf("%s: after %v: %v", test.name, took, err)
			}
			if len(closed) != 1 || closed[0].Side != SideLocal {
				t.Errorf("%s: %+v", test.name, closed)
			}
			p.run(func() { p.accept().secure(next.server("api.example")).serveForever(hello) })
			if o := fetch(t, c, Request{Path: "/"}); o.Body != "hello" {
				t.Errorf("%s: the new authority is not trusted: %v", test.name, o.Err)
			}
		})
	}
}

// A list that is under way when the files change has an interval to come to its end.
func TestARequestThatEndsInTimeIsNotCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca, next := newAuthority(t), newAuthority(t)
		p, m := newPeer(t), &memFiles{}
		defer p.close()
		c := rotating(t, p, m, ca, Config{})
		defer c.Close()
		p.run(func() {
			conn := p.accept().secure(ca.server("api.example"))
			conn.head()
			conn.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
			time.Sleep(90 * time.Second)
			conn.send("llo")
			io.Copy(io.Discard, conn.br)
			conn.Close()
		})
		time.AfterFunc(time.Second, func() { m.write("ca", next.PEM) })
		o := fetch(t, c, Request{Path: "/"})
		if o.Body != "hello" || o.Err != nil || o.Kept {
			t.Errorf("%+v", o)
		}
	})
}

// An unused connection of the old authority serves nobody, and is closed at the next look even if nobody asks.
func TestAnUnusedConnectionOfAnOldAuthorityIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca, next := newAuthority(t), newAuthority(t)
		p, m := newPeer(t), &memFiles{}
		defer p.close()
		c := rotating(t, p, m, ca, Config{IdleConnTimeout: time.Hour})
		defer c.Close()
		p.run(func() { p.accept().secure(ca.server("api.example")).serveForever(hello) })
		if o := fetch(t, c, Request{Path: "/"}); !o.Kept {
			t.Fatalf("%+v", o)
		}
		m.write("ca", next.PEM)
		time.Sleep(defaultReloadInterval)
		synctest.Wait()
		if s := c.Stats(); s.Open != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// Files are not written at once: what cannot be read or parsed changes nothing, and ends no watch.
func TestFilesThatAreBrokenForAWhileEndNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := newAuthority(t)
		p, m := newPeer(t), &memFiles{}
		defer p.close()
		c := rotating(t, p, m, ca, Config{})
		defer c.Close()
		p.run(func() { p.accept().secure(ca.server("api.example")).stream() })
		r, err := c.Do(t.Context(), Request{Path: "/"})
		if err != nil {
			t.Fatal(err)
		}
		for i, data := range [][]byte{nil, {}, []byte("half a certif"), ca.PEM} {
			time.AfterFunc(time.Duration(i)*10*time.Minute, func() { m.write("ca", data) })
		}
		time.AfterFunc(time.Hour, func() { c.Close() })
		start := time.Now()
		if _, err := io.Copy(io.Discard, r.Body); time.Since(start) != time.Hour || errors.Is(err, errRotated) {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// The timer of the looks ends with the last connection, and negative starts none.
func TestNobodyLooksWithoutConnections(t *testing.T) {
	for _, test := range []struct {
		name     string
		interval time.Duration
	}{{"closed", 0}, {"off", -1}} {
		synctest.Test(t, func(t *testing.T) {
			ca := newAuthority(t)
			p, m := newPeer(t), &memFiles{}
			defer p.close()
			c := rotating(t, p, m, ca, Config{ReloadInterval: test.interval})
			defer c.Close()
			p.run(func() { p.accept().secure(ca.server("api.example")).stream() })
			r, err := c.Do(t.Context(), Request{Path: "/"})
			if err != nil {
				t.Fatal(err)
			}
			if test.interval == 0 {
				r.Body.Close()
			}
			before := m.reads
			time.Sleep(time.Hour)
			if m.reads != before {
				t.Errorf("%s: %d looks", test.name, m.reads-before)
			}
			r.Body.Close()
		})
	}
}
