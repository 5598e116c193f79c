package sim

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// wire is a connection over a network, and what the server has to say on it.
func wire(t *testing.T, o Options, faults ...Fault) (*Network, net.Conn, net.Conn) {
	n := newNetwork(&o, nil)
	l := &listener{Listener: n.wire.Listen(), network: n}
	n.Inject(faults...)
	client, err := n.Dial(t.Context(), "tcp", "api.sim:1")
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return n, client, server
}

// drain reads until an error, and says at which second what came.
func drain(c net.Conn) (text string, pieces []string, err error) {
	began := time.Now()
	p := make([]byte, 100)
	for {
		n, err := c.Read(p)
		if n > 0 {
			text += string(p[:n])
			pieces = append(pieces, time.Since(began).Round(time.Millisecond).String()+" "+string(p[:n]))
		}
		if err != nil {
			return text, pieces, err
		}
	}
}

// A fault comes after exactly as many bytes as it says, for every one, however the server writes them.
func TestFaultsComeAfterTheirByte(t *testing.T) {
	const said = "one two three"
	for at := range len(said) + 1 {
		for kind, want := range map[FaultKind]error{FIN: io.EOF, RST: syscall.ECONNRESET, Stall: os.ErrDeadlineExceeded, HalfOpen: os.ErrDeadlineExceeded, CloseNotify: io.EOF} {
			synctest.Test(t, func(t *testing.T) {
				n, client, server := wire(t, Options{}, Fault{Kind: kind, At: int64(at)})
				client.SetReadDeadline(time.Now().Add(time.Minute))
				io.WriteString(server, said[:5])
				io.WriteString(server, said[5:])
				text, _, err := drain(client)
				if text != said[:at] || !errors.Is(err, want) {
					t.Errorf("%s after %d: %q, %v", kind, at, text, err)
				}
				if fired := n.Fired(); len(fired) != 1 || fired[0].Offset != int64(at) {
					t.Errorf("%s after %d: %v happened", kind, at, fired)
				}
			})
		}
	}
}

// What only delays changes nothing else.
func TestDelaysLoseNothing(t *testing.T) {
	for kind, want := range map[FaultKind]string{
		Split:    "0s one|1ms  two three",
		Coalesce: "0s one|7s  two three",
		Trickle:  "0s one|0s  |1s t|2s w|3s o three",
	} {
		synctest.Test(t, func(t *testing.T) {
			_, client, server := wire(t, Options{}, Fault{Kind: kind, At: 3, Bytes: 3})
			client.SetReadDeadline(time.Now().Add(time.Minute))
			io.WriteString(server, "one two")
			io.WriteString(server, " three")
			if _, pieces, _ := drain(client); strings.Join(pieces, "|") != want {
				t.Errorf("%s: %q, want %q", kind, strings.Join(pieces, "|"), want)
			}
		})
	}
}

// The peer of a stalled connection hears what is said to it, that of a half-open one nothing, not even the end.
func TestHalfOpenIsNotHeardOf(t *testing.T) {
	for kind, want := range map[FaultKind]string{Stall: "hello", HalfOpen: ""} {
		synctest.Test(t, func(t *testing.T) {
			n, client, server := wire(t, Options{}, Fault{Kind: kind, Conn: 1})
			client.SetReadDeadline(time.Now().Add(time.Second))
			client.Read(make([]byte, 1))
			io.WriteString(client, "hello")
			client.Close()
			server.SetReadDeadline(time.Now().Add(time.Hour))
			text, _, err := drain(server)
			if text != want || (kind == HalfOpen) != errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: the server heard %q, %v", kind, text, err)
			}
			if n.Open() != 0 {
				t.Errorf("%s: the client has closed, and %d are open", kind, n.Open())
			}
		})
	}
}

func TestCorruptChangesOneByte(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, client, server := wire(t, Options{}, Fault{Kind: Corrupt, At: 2})
		io.WriteString(server, "abcde")
		server.Close()
		if text, _, err := drain(client); text != "abvde" || err != io.EOF {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// A fault of now ends a read that waits.
func TestNowMeetsAWaitingRead(t *testing.T) {
	for kind, want := range map[FaultKind]error{FIN: io.EOF, RST: syscall.ECONNRESET, Stall: os.ErrDeadlineExceeded} {
		synctest.Test(t, func(t *testing.T) {
			n, client, server := wire(t, Options{})
			client.SetReadDeadline(time.Now().Add(time.Hour))
			time.AfterFunc(time.Minute, func() { n.Now(kind); io.WriteString(server, "too late") })
			began := time.Now()
			text, _, err := drain(client)
			if text != "" || !errors.Is(err, want) || time.Since(began) > time.Hour {
				t.Errorf("%s: %q, %v after %v", kind, text, err, time.Since(began))
			}
		})
	}
}

// With latency and pace the pieces do not depend on how, or how fast, the server writes.
func TestPaceHidesHowTheServerWrites(t *testing.T) {
	var first string
	for size := 1; size <= 10; size++ {
		synctest.Test(t, func(t *testing.T) {
			_, client, server := wire(t, Options{Latency: time.Second, Pace: 4})
			for rest := "0123456789"; rest != ""; rest = rest[min(size, len(rest)):] {
				io.WriteString(server, rest[:min(size, len(rest))])
			}
			server.Close()
			_, pieces, _ := drain(client)
			if got := strings.Join(pieces, "|"); first == "" {
				first = got
			} else if got != first {
				t.Errorf("in pieces of %d: %q, want %q", size, got, first)
			}
		})
	}
	if want := "1s 0123|2s 4567|3s 89"; first != want {
		t.Errorf("%q, want %q", first, want)
	}
}

// A network that refuses says so, and counts it.
func TestRefusedConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, _, _ := wire(t, Options{})
		n.Refuse(true)
		if _, err := n.Dial(t.Context(), "tcp", "x"); !errors.Is(err, syscall.ECONNREFUSED) || n.Refusals() != 1 || n.Dials() != 2 {
			t.Errorf("%v, %d refusals of %d", err, n.Refusals(), n.Dials())
		}
	})
}
