package faults

import (
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
)

func networkFaults() []*Fault {
	return in(Network, breaks(), flows(), connections(), dials())
}

// breaks are three ways to end an answer in each of its places.
func breaks() []*Fault {
	var all []*Fault
	for _, how := range []struct {
		name, says string
		do         func(*conn) outcome
		tries      []Invariant
	}{
		{"cut", "the connection is closed (FIN)", cutHere, []Invariant{FinalState, ResumeExact, Incomplete}},
		{"reset", "the connection is reset (RST)", resetHere, []Invariant{FinalState, ResumeExact, Incomplete}},
		{"stall", "no further byte comes, and no end", stallHere, []Invariant{FinalState, ResumeExact, StallEnds}},
	} {
		for _, where := range []struct {
			name, says string
			place      place
		}{
			{"at-offset", "after When.Offset bytes of an answer", place{anywhere, 0, 0}},
			{"in-head", "inside the head", place{inHead, 0, 40}},
			{"in-chunk-size", "inside a chunk's size line", place{inSize, 0, 1}},
			{"in-data", "inside the data of the first chunk, or of a counted body", place{inData, 0, 10}},
			{"in-chunk-end", "between CR and LF after a chunk", place{inDataEnd, 0, 1}},
			{"between-chunks", "between two chunks", place{inSize, 1, 0}},
			{"before-last-chunk", "before the last chunk, all data sent", place{inLast, 0, 0}},
			{"before-end", "after the last chunk's size line", place{inEnd, 0, 0}},
		} {
			all = append(all, &Fault{
				Name: how.name + "-" + where.name, Summary: where.says + ", " + how.says, Invariants: how.tries, On: Reads,
				wire: func(x *exchange) wirePlan {
					at := where.place
					at.offset += x.fault.when.Offset
					return &breakAt{fault: x.fault, place: at, do: how.do}
				},
			})
		}
	}
	return all
}

// flows change how bytes come, or which.
func flows() []*Fault {
	at := func(p place, do func(*conn) outcome) func(*exchange) wirePlan {
		return func(x *exchange) wirePlan {
			p := p
			p.offset += x.fault.when.Offset
			return &breakAt{fault: x.fault, place: p, do: do}
		}
	}
	whole := func(plan func() wirePlan) func(*exchange) wirePlan {
		return func(x *exchange) wirePlan {
			x.fault.take(x.fault.when.Skip)
			return plan()
		}
	}
	bad := func(p place) func(*exchange) wirePlan {
		return func(x *exchange) wirePlan {
			p := p
			p.offset += x.fault.when.Offset
			return &spoil{breakAt: breakAt{fault: x.fault, place: p}}
		}
	}
	return []*Fault{
		{Name: "half-close", Summary: "the server ends its half in the data of the first chunk and goes on reading", Invariants: []Invariant{FinalState, Incomplete},
			On: Reads, wire: at(place{inData, 0, 10}, halfCloseHere)},
		{Name: "half-open", Summary: "the data of the first chunk is cut, and neither side hears of the other again", Invariants: []Invariant{StallEnds, FinalState},
			On: Reads, wire: at(place{inData, 0, 10}, muteHere)},
		{Name: "half-open-between-chunks", Summary: "after the first chunk neither side hears of the other again", Invariants: []Invariant{StallEnds, FinalState},
			On: Watches, wire: at(place{inSize, 1, 0}, muteHere)},
		{Name: "pause-in-data", Summary: "a minute of silence inside the data of the first chunk", Invariants: []Invariant{ResumeExact}, Legal: true,
			On: Reads, wire: at(place{inData, 0, 10}, pauseHere(time.Minute))},
		{Name: "pause-before-head", Summary: "twenty seconds of silence before the answer", Invariants: []Invariant{FinalState}, Legal: true,
			On: Reads, wire: at(place{anywhere, 0, 0}, pauseHere(20*time.Second))},
		{Name: "split", Summary: "each byte of the answer comes by itself", Invariants: []Invariant{ResumeExact, FinalState}, Legal: true,
			On: Reads, wire: whole(func() wirePlan { return slow{1, time.Microsecond} })},
		{Name: "split-in-sevens", Summary: "the answer comes seven bytes at a time, a millisecond apart", Invariants: []Invariant{ResumeExact, FinalState}, Legal: true,
			On: Reads, wire: whole(func() wirePlan { return slow{7, time.Millisecond} })},
		{Name: "trickle", Summary: "a byte of the answer comes each second", Invariants: []Invariant{LorisEnds, StallEnds},
			On: Reads, wire: whole(func() wirePlan { return slow{1, time.Second} })},
		{Name: "trickle-a-minute", Summary: "a byte of the answer comes each minute", Invariants: []Invariant{LorisEnds, StallEnds},
			On: Reads, wire: whole(func() wirePlan { return slow{1, time.Minute} })},
		{Name: "gather", Summary: "what is sent within ten seconds comes at once", Invariants: []Invariant{ResumeExact}, Legal: true,
			On: Reads, wire: whole(func() wirePlan { return &gather{pause: 10 * time.Second} })},
		{Name: "spoil-head", Summary: "a byte of the head becomes NUL", Invariants: []Invariant{NoPhantom, NoPanic},
			On: Reads, wire: bad(place{inHead, 0, 12})},
		{Name: "spoil-chunk-size", Summary: "a byte of a chunk's size line becomes NUL", Invariants: []Invariant{NoPhantom, LyingLength},
			On: Reads, wire: bad(place{inSize, 0, 0})},
		{Name: "spoil-data", Summary: "a byte of the data becomes NUL", Invariants: []Invariant{NoPhantom, NoPanic},
			On: Reads, wire: bad(place{inData, 0, 30})},
	}
}

// connections are about all of them at once.
func connections() []*Fault {
	once := func(do func(*conn)) func(*Injection) func() {
		return func(n *Injection) func() { n.injector.each(do); return nil }
	}
	return []*Fault{
		{Name: "all-cut", Summary: "every connection is closed (FIN)", Invariants: []Invariant{FinalState, ResumeExact}, begin: once(func(c *conn) { _ = c.Close() })},
		{Name: "all-reset", Summary: "every connection is reset (RST)", Invariants: []Invariant{FinalState, ResumeExact}, begin: once((*conn).reset)},
		{Name: "all-half-closed", Summary: "the server ends its half of every connection", Invariants: []Invariant{FinalState, ResumeExact}, begin: once((*conn).closeWrite)},
		{Name: "all-half-open", Summary: "neither side of any connection hears of the other again; new connections work", Invariants: []Invariant{StallEnds, FinalState, AddressChange},
			begin: once((*conn).silence)},
		{Name: "accepted-and-closed", Summary: "a new connection is closed at once (FIN)", Invariants: []Invariant{FinalState, StormBound}, accept: func(c *conn) { _ = c.Close() }},
		{Name: "accepted-and-reset", Summary: "a new connection is reset at once (RST)", Invariants: []Invariant{FinalState, StormBound}, accept: (*conn).reset},
		{Name: "accepted-and-silent", Summary: "a new connection is accepted by nobody who speaks", Invariants: []Invariant{FinalState, StallEnds}, accept: (*conn).silence},
	}
}

// dials happen to clients that dial with Injector.Dial.
func dials() []*Fault {
	failing := func(why func(d *dialing) error) func(*Injection, *dialing) error {
		return func(_ *Injection, d *dialing) error {
			return &net.OpError{Op: "dial", Net: d.network, Err: why(d)}
		}
	}
	call := func(e syscall.Errno) func(*dialing) error {
		return func(*dialing) error { return os.NewSyscallError("connect", e) }
	}
	return []*Fault{
		{Name: "dial-refused", Summary: "a connection is refused", Invariants: []Invariant{FinalState, StormBound}, dial: failing(call(syscall.ECONNREFUSED))},
		{Name: "dial-unreachable", Summary: "there is no route to the host", Invariants: []Invariant{FinalState, StormBound}, dial: failing(call(syscall.EHOSTUNREACH))},
		{Name: "dial-no-name", Summary: "the server's name does not resolve", Invariants: []Invariant{FinalState, AddressChange}, dial: failing(func(d *dialing) error {
			return &net.DNSError{Err: "no such host", Name: d.addr, IsNotFound: true}
		})},
		{Name: "dial-no-answer", Summary: "the packets of a new connection are dropped", Invariants: []Invariant{FinalState, StallEnds}, dial: func(n *Injection, d *dialing) error {
			select {
			case <-d.ctx.Done():
			case <-n.ended:
			}
			return &net.OpError{Op: "dial", Net: d.network, Err: fmt.Errorf("no answer: %w", os.ErrDeadlineExceeded)}
		}},
		{Name: "dial-slow", Summary: "a new connection takes five seconds", Invariants: []Invariant{FinalState}, Legal: true, dial: func(n *Injection, d *dialing) error {
			timer := time.NewTimer(5 * time.Second)
			defer timer.Stop()
			select {
			case <-timer.C:
				return nil
			case <-n.ended:
				return nil
			case <-d.ctx.Done():
				return d.ctx.Err()
			}
		}},
	}
}
