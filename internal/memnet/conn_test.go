package memnet

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/nettest"
)

// The tests that golang.org/x/net publishes for every net.Conn, over a bounded buffer: some write until a deadline stops them.
func TestConnBehavesAsNetConn(t *testing.T) {
	nettest.TestConn(t, func() (net.Conn, net.Conn, func(), error) {
		a, b := Pipe()
		a.SetBuffer(64 << 10)
		b.SetBuffer(64 << 10)
		return a, b, func() { a.Close(); b.Close() }, nil
	})
}

// read reads once and wants text or an error.
func read(t *testing.T, c net.Conn, text string, want error) {
	t.Helper()
	p := make([]byte, 100)
	n, err := c.Read(p)
	if string(p[:n]) != text || !errors.Is(err, want) {
		t.Errorf("read %q, %v; want %q, %v", p[:n], err, text, want)
	}
}

// write writes and wants n bytes taken, and an error.
func write(t *testing.T, c net.Conn, text string, n int, want error) {
	t.Helper()
	if got, err := c.Write([]byte(text)); got != n || !errors.Is(err, want) {
		t.Errorf("wrote %d, %v; want %d, %v", got, err, n, want)
	}
}

// Nobody needs to read for a write to return: a server can refuse and close in one breath.
func TestWritesDoNotWaitForTheReader(t *testing.T) {
	a, b := Pipe()
	write(t, a, "one", 3, nil)
	write(t, a, "two", 3, nil)
	if b.Buffered() != 6 {
		t.Errorf("%d bytes wait", b.Buffered())
	}
	read(t, b, "onetwo", nil)
}

func TestReadTakesWhatFits(t *testing.T) {
	a, b := Pipe()
	write(t, a, "hello", 5, nil)
	p := make([]byte, 2)
	for _, want := range []string{"he", "ll", "o"} {
		if n, err := b.Read(p); string(p[:n]) != want || err != nil {
			t.Errorf("read %q, %v", p[:n], err)
		}
	}
}

func TestEmptyReadsAndWritesDoNotWait(t *testing.T) {
	a, _ := Pipe()
	if n, err := a.Read(nil); n != 0 || err != nil {
		t.Errorf("read %d, %v", n, err)
	}
	write(t, a, "", 0, nil)
}

func TestCloseIsReadAfterWhatWasWritten(t *testing.T) {
	a, b := Pipe()
	write(t, a, "last words", 10, nil)
	write(t, b, "unread", 6, nil)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	read(t, b, "last words", nil)
	read(t, b, "", io.EOF)
	read(t, b, "", io.EOF)
	write(t, b, "too late", 0, syscall.EPIPE)
	read(t, a, "", net.ErrClosed)
	write(t, a, "x", 0, net.ErrClosed)
	if err := a.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed again: %v", err)
	}
	for _, err := range []error{a.SetDeadline(time.Time{}), a.SetReadDeadline(time.Time{}), a.SetWriteDeadline(time.Time{}), a.CloseWrite()} {
		if !errors.Is(err, net.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

func TestCloseWriteLeavesTheOtherDirection(t *testing.T) {
	a, b := Pipe()
	write(t, a, "request", 7, nil)
	if err := a.CloseWrite(); err != nil {
		t.Error(err)
	}
	write(t, a, "more", 0, syscall.EPIPE)
	if err := a.CloseWrite(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed again: %v", err)
	}
	read(t, b, "request", nil)
	read(t, b, "", io.EOF)
	write(t, b, "answer", 6, nil)
	read(t, a, "answer", nil)
	b.Close()
	read(t, a, "", io.EOF)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

func TestResetIsReadAfterWhatWasWritten(t *testing.T) {
	a, b := Pipe()
	write(t, a, "half a chu", 10, nil)
	a.Reset()
	read(t, b, "half a chu", nil)
	read(t, b, "", syscall.ECONNRESET)
	read(t, b, "", syscall.ECONNRESET)
	write(t, b, "x", 0, syscall.ECONNRESET)
	read(t, a, "", net.ErrClosed)
	write(t, a, "x", 0, net.ErrClosed)
	a.Reset()
	b.Close()
}

// A reset that comes after a Close has nothing left to say.
func TestResetAfterCloseIsNone(t *testing.T) {
	a, b := Pipe()
	a.Close()
	a.Reset()
	read(t, b, "", io.EOF)
}

func TestResetAfterCloseWriteIsOne(t *testing.T) {
	a, b := Pipe()
	a.CloseWrite()
	read(t, b, "", io.EOF)
	a.Reset()
	read(t, b, "", syscall.ECONNRESET)
}

func TestErrorsAreThoseOfPackageNet(t *testing.T) {
	a, b := Pipe()
	a.SetReadDeadline(time.Unix(1, 0))
	_, err := a.Read(make([]byte, 1))
	var op *net.OpError
	if !errors.As(err, &op) || !op.Timeout() || op.Op != "read" || op.Source != a.LocalAddr() || op.Addr != a.RemoteAddr() {
		t.Errorf("%#v", err)
	}
	if err.Error() != "read memnet client->server: i/o timeout" {
		t.Error(err)
	}
	if a.LocalAddr().Network() != "memnet" || b.LocalAddr().String() != "server" || b.RemoteAddr().String() != "client" {
		t.Errorf("%v, %v", b.LocalAddr(), b.RemoteAddr())
	}
	b.Close()
	if _, err := io.ReadAll(a); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	a.SetReadDeadline(time.Time{})
	if _, err := a.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the end of a stream is io.EOF itself, not %v", err)
	}
}

// A deadline that has passed is seen before bytes that wait, as package net has it.
func TestPastDeadlinesStopAtOnce(t *testing.T) {
	a, b := Pipe()
	write(t, a, "x", 1, nil)
	b.SetDeadline(time.Unix(1, 0))
	read(t, b, "", os.ErrDeadlineExceeded)
	write(t, b, "x", 0, os.ErrDeadlineExceeded)
	b.SetDeadline(time.Time{})
	read(t, b, "x", nil)
	write(t, b, "x", 1, nil)
}

// In a bubble time moves only when everything waits: each wait here must be one that the bubble sees.
func TestWaitingReadMeetsItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, b := Pipe()
		start := time.Now()
		b.SetReadDeadline(start.Add(time.Hour))
		read(t, b, "", os.ErrDeadlineExceeded)
		if waited := time.Since(start); waited != time.Hour {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestDeadlineMovesUnderAWaitingRead(t *testing.T) {
	for name, c := range map[string]struct{ first, second, want time.Duration }{
		"earlier":       {time.Hour, time.Minute, time.Minute},
		"later":         {time.Minute, time.Hour, time.Hour},
		"from none":     {0, time.Minute, time.Minute},
		"into the past": {time.Hour, -time.Hour, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, b := Pipe()
				start := time.Now()
				deadline := func(d time.Duration) (at time.Time) {
					if d != 0 {
						at = start.Add(d)
					}
					return at
				}
				b.SetReadDeadline(deadline(c.first))
				var group sync.WaitGroup
				group.Go(func() {
					read(t, b, "", os.ErrDeadlineExceeded)
					if waited := time.Since(start); waited != c.want {
						t.Errorf("waited %v, want %v", waited, c.want)
					}
				})
				time.Sleep(time.Second)
				b.SetReadDeadline(deadline(c.second))
				group.Wait()
			})
		})
	}
}

// A deadline taken away lets the read wait for its bytes.
func TestDeadlineRemovedUnderAWaitingRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		b.SetReadDeadline(time.Now().Add(time.Minute))
		var group sync.WaitGroup
		group.Go(func() { read(t, b, "x", nil) })
		synctest.Wait()
		b.SetReadDeadline(time.Time{})
		time.Sleep(time.Hour)
		write(t, a, "x", 1, nil)
		group.Wait()
	})
}

func TestWaitingReadIsWokenBy(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(a, b *Conn)
		text string
		want error
	}{
		"a write":          {func(a, _ *Conn) { a.Write([]byte("x")) }, "x", nil},
		"the peer's Close": {func(a, _ *Conn) { a.Close() }, "", io.EOF},
		"CloseWrite":       {func(a, _ *Conn) { a.CloseWrite() }, "", io.EOF},
		"Reset":            {func(a, _ *Conn) { a.Reset() }, "", syscall.ECONNRESET},
		"its own Close":    {func(_, b *Conn) { b.Close() }, "", net.ErrClosed},
		"its own Reset":    {func(_, b *Conn) { b.Reset() }, "", net.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := Pipe()
				var group sync.WaitGroup
				group.Go(func() { read(t, b, c.text, c.want) })
				synctest.Wait()
				c.do(a, b)
				group.Wait()
			})
		})
	}
}

// A full buffer is a zero window.
func TestWaitingWriteIsWokenBy(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(a, b *Conn)
		n    int
		want error
	}{
		"room":             {func(_, b *Conn) { io.ReadFull(b, make([]byte, 10)) }, 10, nil},
		"a larger buffer":  {func(a, _ *Conn) { a.SetBuffer(0) }, 10, nil},
		"the peer's Close": {func(_, b *Conn) { b.Close() }, 4, syscall.EPIPE},
		"the peer's Reset": {func(_, b *Conn) { b.Reset() }, 4, syscall.ECONNRESET},
		"its own Close":    {func(a, _ *Conn) { a.Close() }, 4, net.ErrClosed},
		"CloseWrite":       {func(a, _ *Conn) { a.CloseWrite() }, 4, syscall.EPIPE},
		"its deadline":     {func(a, _ *Conn) { a.SetWriteDeadline(time.Now().Add(time.Hour)) }, 4, os.ErrDeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := Pipe()
				a.SetBuffer(4)
				var group sync.WaitGroup
				group.Go(func() { write(t, a, "0123456789", c.n, c.want) })
				synctest.Wait()
				if b.Buffered() != 4 {
					t.Errorf("%d bytes wait", b.Buffered())
				}
				c.do(a, b)
				group.Wait()
			})
		})
	}
}

// As on a socket, one Write is one piece of the stream even when it has to wait.
func TestWritesDoNotMixTheirBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		a.SetBuffer(3)
		var group sync.WaitGroup
		for _, c := range "abcdef" {
			group.Go(func() { write(t, a, strings.Repeat(string(c), 100), 100, nil) })
		}
		got := make([]byte, 600)
		if _, err := io.ReadFull(b, got); err != nil {
			t.Fatal(err)
		}
		group.Wait()
		for len(got) > 0 {
			if !bytes.Equal(got[:100], bytes.Repeat(got[:1], 100)) {
				t.Fatalf("mixed: %s", got[:100])
			}
			got = got[100:]
		}
	})
}

// A Write that waits for its turn keeps its own deadline, and a turn that ended early is given on.
func TestWriteThatWaitsForItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		a.SetBuffer(1)
		var group sync.WaitGroup
		group.Go(func() { write(t, a, "aa", 1, os.ErrDeadlineExceeded) })
		synctest.Wait()
		group.Go(func() { write(t, a, "b", 0, os.ErrDeadlineExceeded) })
		synctest.Wait()
		a.SetWriteDeadline(time.Now().Add(time.Second))
		group.Wait()
		a.SetWriteDeadline(time.Time{})
		read(t, b, "a", nil)
		write(t, a, "c", 1, nil)
		read(t, b, "c", nil)
	})
}

// The buffer's memory follows what waits in it, not what went through.
func TestBufferIsUsedAgain(t *testing.T) {
	a, b := Pipe()
	p := make([]byte, 1000)
	a.Write(p)
	for range 10_000 {
		a.Write(p)
		if _, err := io.ReadFull(b, p); err != nil {
			t.Fatal(err)
		}
	}
	if size := cap(b.in.buf); size > 8000 {
		t.Errorf("%d bytes held for %d", size, b.Buffered())
	}
}

// A stream much longer than its buffer arrives as it was sent.
func TestStreamThroughASmallBuffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		a.SetBuffer(7)
		want := make([]byte, 10_000)
		for i := range want {
			want[i] = byte(i % 251)
		}
		var group sync.WaitGroup
		group.Go(func() {
			a.Write(want)
			a.Close()
		})
		if got, err := io.ReadAll(b); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		group.Wait()
	})
}
