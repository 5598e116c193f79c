package rest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// framingCase is one variant of a framing field: its lines, and what a model that knows no parsing needs to know of it.
type framingCase struct {
	lines []string
	valid bool
	n     int64
	close bool // for Connection
}

var (
	lengthCases = []framingCase{
		{},
		{lines: []string{"5"}, valid: true, n: 5},
		{lines: []string{"0"}, valid: true},
		{lines: []string{"005"}, valid: true, n: 5},
		{lines: []string{"5", "5"}, valid: true, n: 5},
		{lines: []string{"9223372036854775807"}, valid: true, n: 9223372036854775807},
		{lines: []string{"9223372036854775808"}},
		{lines: []string{""}},
		{lines: []string{"+5"}},
		{lines: []string{"-5"}},
		{lines: []string{"5, 5"}},
		{lines: []string{"5", "7"}},
		{lines: []string{"5", ""}},
		{lines: []string{"0x5"}},
		{lines: []string{"five"}},
	}
	codingCases = []framingCase{
		{},
		{lines: []string{"chunked"}, valid: true},
		{lines: []string{"Chunked"}, valid: true},
		{lines: []string{"gzip, chunked"}},
		{lines: []string{"chunked, gzip"}},
		{lines: []string{"chunked", "chunked"}},
		{lines: []string{"identity"}},
		{lines: []string{""}},
		{lines: []string{"chunked;q=1"}},
	}
	connectionCases = []framingCase{
		{},
		{lines: []string{"close"}, close: true},
		{lines: []string{"CLOSE"}, close: true},
		{lines: []string{"keep-alive"}},
		{lines: []string{"keep-alive", "close"}, close: true},
		{lines: []string{"upgrade, close ,x"}, close: true},
		{lines: []string{"@"}, close: true},
	}
	framingMethods = []string{"GET", "HEAD", "POST", "DELETE"}
	framingCodes   = []int{100, 102, 200, 201, 204, 205, 299, 301, 304, 404, 410, 500, 600}
)

// modelPlan is RFC 9112 6.3 in prose order, on the variants' known properties. ok is false for a refusal.
func modelPlan(method string, minor, code int, length, coding, connection framingCase) (framing Framing, n int64, keep, ok bool) {
	announced := length.lines != nil || coding.lines != nil
	lasting := minor == 1 && !connection.close
	bodyless := method == "HEAD" || code == 100 || code == 102 || code == 204 || code == 304
	switch {
	case bodyless:
		return NoBody, -1, lasting && !announced, true
	case coding.lines != nil && length.lines != nil:
		return 0, 0, false, false
	case coding.lines != nil && (minor == 0 || !coding.valid):
		return 0, 0, false, false
	case coding.lines != nil:
		return Chunked, -1, lasting, true
	case length.lines != nil && !length.valid:
		return 0, 0, false, false
	case length.lines != nil:
		return ContentLength, length.n, lasting, true
	}
	return CloseDelimited, -1, false, true
}

func TestEveryCombinationOfFramingFieldsIsDecidedAsTheModelSays(t *testing.T) {
	count, accepted := 0, 0
	for _, method := range framingMethods {
		for minor := range 2 {
			for _, code := range framingCodes {
				for _, length := range lengthCases {
					for _, coding := range codingCases {
						for _, connection := range connectionCases {
							count++
							h := &responseHead{minor: minor, code: code}
							for _, f := range []struct {
								name  string
								lines []string
							}{{"Content-Length", length.lines}, {"Transfer-Encoding", coding.lines}, {"Connection", connection.lines}} {
								for _, line := range f.lines {
									h.header.Add(f.name, line)
								}
							}
							framing, n, keep, ok := modelPlan(method, minor, code, length, coding, connection)
							plan, err := planBody(method, h)
							if (err == nil) != ok {
								t.Fatalf("%s %+v: %v, the model says ok=%v", method, h, err, ok)
							}
							if err != nil {
								if e := asError(t, err); !e.Protocol() || e.Section == "" {
									t.Fatalf("%s %+v: %#v names no rule", method, h, e)
								}
								continue
							}
							accepted++
							if plan.framing != framing || plan.length != n || plan.keep != keep || plan.keep != (plan.why == "") {
								t.Fatalf("%s %+v: %+v, the model says %v %d %v", method, h, plan, framing, n, keep)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d combinations, %d accepted", count, accepted)
}

// Where both accept, net/http must have found the same framing; where it refuses, so must we.
func TestFramingAgreesWithNetHTTP(t *testing.T) {
	for _, method := range framingMethods {
		for minor := range 2 {
			for _, code := range framingCodes[2:] { // net/http.ReadResponse takes 1xx for final
				for _, length := range lengthCases {
					for _, coding := range codingCases {
						var b strings.Builder
						fmt.Fprintf(&b, "HTTP/1.%d %d X\r\n", minor, code)
						for _, v := range length.lines {
							b.WriteString("Content-Length: " + v + "\r\n")
						}
						for _, v := range coding.lines {
							b.WriteString("Transfer-Encoding: " + v + "\r\n")
						}
						b.WriteString("\r\n")
						compareFraming(t, method, b.String())
					}
				}
			}
		}
	}
}

// compareFraming holds a head's plan to net/http's. It reports whether both accepted.
func compareFraming(t testing.TB, method, head string) bool {
	t.Helper()
	p := &headParser{br: bufio.NewReader(strings.NewReader(head)), maxBytes: defaultMaxHeadBytes, maxFields: defaultMaxHeadFields}
	h, err := p.read()
	if err != nil {
		return false
	}
	plan, err := planBody(method, h)
	if err != nil || h.code < 200 {
		return false
	}
	theirs, err := http.ReadResponse(bufio.NewReader(strings.NewReader(head)), &http.Request{Method: method})
	if err != nil {
		if plan.framing == NoBody { // it judges fields of a body that is not there; RFC 9112 6.3 does not
			return false
		}
		t.Fatalf("%s %q: accepted as %+v, net/http refuses: %v", method, head, plan, err)
	}
	var framing Framing
	switch chunked := len(theirs.TransferEncoding) == 1; {
	case method == "HEAD" || h.code == 204 || h.code == 304:
		framing = NoBody
	case chunked:
		framing = Chunked
	case theirs.ContentLength >= 0:
		framing = ContentLength
	default:
		framing = CloseDelimited
	}
	if framing != plan.framing || (framing == ContentLength && plan.length != theirs.ContentLength) {
		t.Fatalf("%s %q: %+v, net/http says %v %d", method, head, plan, framing, theirs.ContentLength)
	}
	if theirs.Close && plan.keep {
		t.Fatalf("%s %q: the connection is kept, net/http closes it", method, head)
	}
	return true
}

func TestAHeadOfAnyFramingConsumesItsOwnBytesOnly(t *testing.T) {
	const after = "what follows belongs to somebody else"
	for _, row := range verdicts(t) {
		br := bufio.NewReader(bytes.NewReader(append(bytes.Clone(row.raw), after...)))
		p := &headParser{br: br, maxBytes: defaultMaxHeadBytes, maxFields: defaultMaxHeadFields}
		if _, err := p.read(); err != nil {
			continue
		}
		rest, err := io.ReadAll(br)
		if err != nil {
			t.Fatal(err)
		}
		end := bytes.Index(row.raw, []byte("\r\n\r\n")) + 4
		if want := string(row.raw[end:]) + after; string(rest) != want || p.offset != int64(end) {
			t.Fatalf("%s: %d bytes consumed, the head has %d", row.name, p.offset, end)
		}
	}
}
