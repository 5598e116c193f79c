package rest

import (
	"strings"
	"testing"
)

// The limits of a head are the caller's to move, from both sides.
func TestLimitsOfAHead(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 5\r\n\r\n" // 44 bytes
	interim := strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 10)
	large := "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("b", 100_000) + "\r\nContent-Length: 5\r\n\r\n"
	many := "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 1000) + "Content-Length: 5\r\n\r\n"
	for _, test := range []struct {
		name string
		cfg  Config
		head string
		rule string
	}{
		{"just enough bytes", Config{MaxHeadBytes: 44}, head, ""},
		{"a byte too many", Config{MaxHeadBytes: 43}, head, "longer than 43 bytes"},
		{"any number of bytes", Config{MaxHeadBytes: -1}, large, ""},
		{"just enough fields", Config{MaxHeadFields: 2}, head, ""},
		{"a field too many", Config{MaxHeadFields: 1}, head, "more than 1 field lines"},
		{"any number of fields", Config{MaxHeadFields: -1}, many, ""},
		{"just enough informational responses", Config{MaxInformational: 10}, interim + head, ""},
		{"one too many", Config{MaxInformational: 9}, interim + head, "more than 9 informational"},
		{"any number of them", Config{MaxInformational: -1}, interim + head, ""},
	} {
		if len(head) != 44 {
			t.Fatal(len(head))
		}
		o := fetch(t, scripted(t, test.cfg, newScript(errSilent, []byte(test.head+"hello"))), Request{Path: "/"})
		switch {
		case test.rule == "" && o.Body != "hello":
			t.Errorf("%s: %v", test.name, o.Err)
		case test.rule != "" && !strings.Contains(asError(t, o.Err).Rule, test.rule):
			t.Errorf("%s: %v", test.name, o.Err)
		}
	}
}

// A breach is reported where it is, counted from the first byte of its head.
func TestABreachIsReportedWithItsPlace(t *testing.T) {
	for _, test := range []struct {
		raw    string
		offset int64
	}{
		{"HTTQ/1.1 200 OK\r\n", 3},
		{"HTTP/1.2 200 OK\r\n", 7},
		{"HTTP/1.1 20 OK\r\n", 9},
		{"HTTP/1.1 2000 OK\r\n", 12},
		{"HTTP/1.1 200 O\x00K\r\n", 14},
		{"HTTP/1.1 200 OK\n", 15},
		{"HTTP/1.1 200 OK\r\nA: b\n", 21},
		{"HTTP/1.1 200 OK\r\nA : b\r\n", 18},
		{"HTTP/1.1 200 OK\r\nA: b\r\nB: \x01\r\n", 26},
		{"HTTP/1.1 200 OK\r\nA: b\r\nB: c\rd\r\n", 27},
		{"HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: x\r\n\r\n", 23},
		{"HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", 42},
		{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\nA", 15},
	} {
		o := answer(t, Request{Path: "/"}, errSilent, []byte(test.raw))
		if e := asError(t, o.Err); e.Offset != test.offset || !e.Protocol() {
			t.Errorf("%q: %v, want byte %d", test.raw, e, test.offset)
		}
	}
}
