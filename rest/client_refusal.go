package rest

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/status"
)

// refusal turns a response other than 2xx into its error. The body is read within limits; the connection is kept if it was read to its end.
func (x *exchange) refusal(h *responseHead, plan bodyPlan, cred credentials) error {
	zipped, codingErr := contentCoding(h, x.w.gzip)
	body := newBody(x, plan, zipped)
	x.cn.limits.phase(x.w.head) // all of it, not each read: an error is short
	text, err := x.errorBody(body, codingErr)
	body.Close()
	if err != nil {
		return err
	}
	if h.code == 401 {
		x.client.rejected(cred)
	}
	if h.code/100 == 3 && h.code != 304 {
		return &RedirectError{Code: h.code, Location: x.secrets.hide(shownLocation(h.header.Get("Location")))}
	}
	refused := status.FromResponse(h.code, h.header.Get("Content-Type"), []byte(x.secrets.hide(string(text))), status.Headers{
		RetryAfter: h.header.Get("Retry-After"), Warnings: x.secrets.hideAll(status.ParseWarnings(h.header.Values("Warning"))), AuditID: x.secrets.hide(h.header.Get("Audit-Id")), Now: time.Now(),
	})
	refused.Message = x.secrets.hide(refused.Message) // again: JSON has other ways to write a letter
	if h.code == 400 && x.client.origin.scheme == "http" && speaksTLS(text) {
		return &Error{
			Phase: PhaseHead, Addr: x.cn.server, Rule: "plain http to a port that speaks TLS", Err: refused, hint: hintUseHTTPS,
		}
	}
	return refused
}

// errorBody reads what the server had to say. A body that is cut, coded in a way nobody asked for or too slow is left out: the code alone is an answer.
// Only the end of the caller's context is an error.
func (x *exchange) errorBody(b *Body, codingErr error) ([]byte, error) {
	if codingErr != nil {
		return nil, nil
	}
	limit := x.client.cfg.MaxErrorBytes
	if limit < 0 {
		limit = 1<<31 - 1
	}
	text, err := io.ReadAll(io.LimitReader(b, int64(limit)))
	if err != nil && x.ctx.Err() != nil {
		return nil, err
	}
	if err != nil || (len(text) == limit && !b.atEnd()) {
		return nil, nil
	}
	return text, nil
}

// speaksTLS recognises how servers answer plain http on their TLS port: Go in text, nginx in HTML.
func speaksTLS(text []byte) bool {
	s := strings.ToLower(string(text[:min(len(text), 1<<10)]))
	return strings.Contains(s, "http request to an https server") || strings.Contains(s, "plain http request was sent to https port")
}

// shownLocation is a Location fit for an error: no user, no query (it may hold a session), escaped, truncated.
func shownLocation(raw string) string {
	if raw == "" {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "<not a URL>"
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return printable(u.String(), 256)
}

// contentCoding reports whether a body is gzip (RFC 9110 8.4). A coding that was not asked for is refused: it would be taken for the content.
func contentCoding(h *responseHead, asked bool) (zipped bool, err error) {
	var codings []string
	for _, v := range h.header.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(v, ",") {
			if coding = trimOWS(coding); coding != "" && !equalFold(coding, "identity") {
				codings = append(codings, coding)
			}
		}
	}
	switch {
	case len(codings) == 0:
		return false, nil
	case len(codings) == 1 && asked && (equalFold(codings[0], "gzip") || equalFold(codings[0], "x-gzip")):
		return true, nil
	}
	return false, badFraming(h.offsetOf("Content-Encoding"), "RFC 9110 8.4", "a content coding that was not asked for, "+quote(strings.Join(codings, ", ")))
}

// errBodyClosed is what reading a closed body gives.
var errBodyClosed = fmt.Errorf("rest: the body: %w", net.ErrClosed)
