package rest

import (
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// bodyPlan is how the bytes after a head are read, and whether the connection may serve another request after them.
type bodyPlan struct {
	framing Framing
	length  int64 // ContentLength only; -1 otherwise
	keep    bool
	why     string // why not, when keep is false
}

// planBody decides the framing of a response by RFC 9112 6.3, in its order, from the request's method and the head alone. Where the RFC lets a
// recipient repair a contradiction this refuses: a connection is cheap, and a message that two readers read differently is not a message.
//
// A connection is kept only after framing that nobody could read differently: not after a 1.0 response, nor after a bodyless one that
// carries Content-Length or Transfer-Encoding all the same.
func planBody(method string, h *responseHead) (bodyPlan, error) {
	plan := bodyPlan{length: -1, keep: true}
	switch {
	case hasClose(h.header):
		plan.keep, plan.why = false, "Connection: close"
	case h.minor == 0:
		plan.keep, plan.why = false, "an HTTP/1.0 response"
	}
	counted, coded := h.header.Has("Content-Length"), h.header.Has("Transfer-Encoding")
	if method == "HEAD" || h.code < 200 || h.code == 204 || h.code == 304 { // 205 is not in this list
		plan.framing = NoBody
		if plan.keep && (counted || coded) {
			plan.keep, plan.why = false, "a response without body that announced one"
		}
		return plan, nil
	}
	switch {
	case coded:
		if err := checkTransferEncoding(h, counted); err != nil {
			return bodyPlan{}, err
		}
		plan.framing = Chunked
	case counted:
		n, err := contentLength(h)
		if err != nil {
			return bodyPlan{}, err
		}
		plan.framing, plan.length = ContentLength, n
	default:
		plan.framing = CloseDelimited
		if plan.keep {
			plan.keep, plan.why = false, "a body that ends with the connection"
		}
	}
	return plan, nil
}

// checkTransferEncoding accepts exactly one field line with exactly the word chunked.
func checkTransferEncoding(h *responseHead, counted bool) error {
	values, at := h.header.Values("Transfer-Encoding"), h.offsetOf("Transfer-Encoding")
	switch {
	case h.minor == 0:
		return badFraming(at, "RFC 9112 6.1", "Transfer-Encoding in an HTTP/1.0 response")
	case counted:
		return badFraming(at, "RFC 9112 6.3", "both Transfer-Encoding and Content-Length")
	case len(values) > 1:
		return badFraming(at, "RFC 9112 6.1", "more than one Transfer-Encoding field")
	case !equalFold(values[0], "chunked"):
		return badFraming(at, "RFC 9112 6.1", "a transfer coding other than chunked, "+quote(values[0]))
	}
	return nil
}

// contentLength parses 1*DIGIT of at most 63 bits (RFC 9110 8.6). Repeated lines must be identical; the list form "5, 5" is refused, as the RFC
// allows, because not every reader takes it apart.
func contentLength(h *responseHead) (int64, error) {
	values, at := h.header.Values("Content-Length"), h.offsetOf("Content-Length")
	first := values[0]
	for _, v := range values[1:] {
		if v != first {
			return 0, badFraming(at, "RFC 9112 6.3", "Content-Length fields that differ, "+quote(first)+" and "+quote(v))
		}
	}
	if first == "" || strings.TrimLeft(first, "0123456789") != "" {
		return 0, badFraming(at, "RFC 9110 8.6", "a Content-Length that is no number, "+quote(first))
	}
	n, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return 0, badFraming(at, "RFC 9110 8.6", "a Content-Length past 63 bits, "+quote(first))
	}
	return n, nil
}

// hasClose looks for the close option (RFC 9112 9.3). A Connection field that is no list of tokens counts as one.
func hasClose(h Header) bool {
	for _, v := range h.Values("Connection") {
		for token := range strings.SplitSeq(v, ",") {
			token = trimOWS(token)
			if equalFold(token, "close") || (token != "" && !httpguts.ValidHeaderFieldName(token)) {
				return true
			}
		}
	}
	return false
}

//go:noinline // it is an error
func badFraming(offset int64, section, rule string) error {
	return &Error{Phase: PhaseHead, Rule: rule, Section: section, Offset: offset, protocol: true}
}
