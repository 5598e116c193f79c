package rest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rawwatch/rawwatch/status"
)

// verdict is a row of testdata/verdicts.txt.
type verdict struct {
	name, section, method, want string
	gzip                        bool // asked for
	raw                         []byte
	end                         error
}

// verdicts reads the table of contested responses.
func verdicts(t testing.TB) (rows []verdict) {
	t.Helper()
	text, err := os.ReadFile("testdata/verdicts.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		column := strings.SplitN(line, " | ", 5)
		if len(column) != 5 {
			t.Fatalf("not five columns: %q", line)
		}
		row := verdict{name: column[0], section: column[1], want: column[3], end: errSilent}
		row.method, row.gzip = strings.CutSuffix(column[2], " gzip")
		raw, isEOF := strings.CutSuffix(column[4], "<EOF>")
		raw, isRST := strings.CutSuffix(raw, "<RST>")
		switch {
		case isEOF:
			row.end = io.EOF
		case isRST:
			row.end = syscall.ECONNRESET
		}
		row.raw = unquoteVector(t, raw)
		rows = append(rows, row)
	}
	return rows
}

var repeated = regexp.MustCompile(`(?s)<<(\d+)\*(.*?)>>`)

func unquoteVector(t testing.TB, raw string) []byte {
	t.Helper()
	raw, err := strconv.Unquote(`"` + strings.ReplaceAll(raw, `"`, `\"`) + `"`)
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return []byte(repeated.ReplaceAllStringFunc(raw, func(m string) string {
		part := repeated.FindStringSubmatch(m)
		n, _ := strconv.Atoi(part[1])
		return strings.Repeat(part[2], n)
	}))
}

func (v *verdict) request() Request { return Request{Method: v.method, Path: "/", Gzip: v.gzip} }

// said describes an outcome in the table's words, except that a refusal is described by its rule.
func said(o outcome) string {
	use := "close"
	if o.Kept {
		use = "keep"
	}
	var refused *status.Error
	var redirect *RedirectError
	var e *Error
	switch {
	case o.Err == nil:
		return fmt.Sprintf("%d %q %s", o.Code, o.Body, use)
	case errors.As(o.Err, &refused):
		return fmt.Sprintf("error %d %s", refused.Code, use)
	case errors.As(o.Err, &redirect):
		return fmt.Sprintf("redirect %d %s", redirect.Code, use)
	case errors.As(o.Err, &e) && e.Protocol():
		return "refuse " + e.Rule
	case errors.Is(o.Err, io.ErrUnexpectedEOF):
		return "cut"
	}
	return o.Err.Error()
}

func TestContestedResponsesAreJudgedAsTheTableSays(t *testing.T) {
	rows := verdicts(t)
	if len(rows) < 1000 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			o := answer(t, row.request(), row.end, row.raw)
			words, refused := strings.CutPrefix(row.want, "refuse ")
			if !refused {
				if got := said(o); got != row.want {
					t.Fatalf("judged %q, want %q (%s): %v", got, row.want, row.section, o.Err)
				}
				return
			}
			if got := said(o); !strings.HasPrefix(got, "refuse ") || !strings.Contains(got, words) {
				t.Fatalf("judged %q, want %q (%s): %v", got, row.want, row.section, o.Err)
			}
			if e := asError(t, o.Err); e.Section != row.section {
				t.Errorf("refused by %s, the table says %s", e.Section, row.section)
			}
			if o.Kept {
				t.Error("the connection of a refused response was kept")
			}
		})
	}
}

// sameOutcome compares everything but the error's identity; its text is compared, but for the excerpt of an answer that is no HTTP at all: of that
// only what has come is shown, and not a byte is waited for.
var sameOutcome = cmp.Options{
	cmpopts.IgnoreFields(outcome{}, "Err"),
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Text" }, cmp.Comparer(func(a, b string) bool {
		return excerpt.ReplaceAllString(a, "$1") == excerpt.ReplaceAllString(b, "$1")
	})),
}

var excerpt = regexp.MustCompile(`(no HTTP/1\.x, it begins with|other than 1\.0 and 1\.1,) "(\\.|[^"\\])*"(\.\.\.)?`)

func TestVerdictsDoNotDependOnHowReadsAreSliced(t *testing.T) {
	for _, row := range verdicts(t) {
		r := row.request()
		whole := answer(t, r, row.end, row.raw)
		step := 1 + len(row.raw)/300
		for at := 1; at < len(row.raw); at += step {
			split := answer(t, r, row.end, row.raw[:at], row.raw[at:])
			if row.end == errSilent { // bytes after the end may come too late to be seen here; the next use sees them
				split.Kept = whole.Kept
			}
			if diff := cmp.Diff(whole, split, sameOutcome); diff != "" {
				t.Fatalf("%s, split at byte %d (-whole +split):\n%s", row.name, at, diff)
			}
		}
		if len(row.raw) > 2000 {
			continue
		}
		single := make([][]byte, len(row.raw))
		for i := range row.raw {
			single[i] = row.raw[i : i+1]
		}
		split := answer(t, r, row.end, single...)
		if row.end == errSilent {
			split.Kept = whole.Kept
		}
		if diff := cmp.Diff(whole, split, sameOutcome); diff != "" {
			t.Fatalf("%s, byte by byte (-whole +split):\n%s", row.name, diff)
		}
	}
}

func TestACutResponseIsNeverAShorterSuccess(t *testing.T) {
	for _, row := range verdicts(t) {
		r := row.request()
		whole := answer(t, r, row.end, row.raw)
		if whole.Err != nil || whole.Framing == CloseDelimited { // where any end is the end, RFC 9112 6.3
			continue
		}
		if whole.Framing == NoBody && strings.Contains(row.name, "bytes") {
			continue // what follows is no part of the response
		}
		step := 1 + len(row.raw)/300
		for _, end := range []error{io.EOF, syscall.ECONNRESET, errSilent} {
			for at := 0; at < len(row.raw); at += step {
				cut := answer(t, r, end, row.raw[:at])
				if cut.Err == nil && (cut.Body != whole.Body || cut.Code != whole.Code) {
					t.Fatalf("%s, cut at byte %d by %v: accepted as %q", row.name, at, end, cut.Body)
				}
				if cut.Err != nil && end != errSilent && !errors.Is(cut.Err, io.ErrUnexpectedEOF) {
					t.Fatalf("%s, cut at byte %d by %v: %v is no unexpected end", row.name, at, end, cut.Err)
				}
				if cut.Err != nil && end == errSilent && !asError(t, cut.Err).Timeout() {
					t.Fatalf("%s, silent after byte %d: %v is no timeout", row.name, at, cut.Err)
				}
			}
		}
	}
}
