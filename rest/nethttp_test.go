package rest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// difference is a row of testdata/nethttp.txt.
type difference struct {
	ours, words string
	rows        int // that show it
}

func differences(t *testing.T) (all []*difference) {
	t.Helper()
	text, err := os.ReadFile("testdata/nethttp.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		column := strings.SplitN(line, " | ", 3)
		if len(column) != 3 || column[2] == "" {
			t.Fatalf("not three columns: %q", line)
		}
		all = append(all, &difference{ours: column[0], words: column[1]})
	}
	return all
}

// readAsNetHTTP reads a row's bytes as net/http does: past what is informational, to the end of the body, gzip undone where it was asked for.
func readAsNetHTTP(row verdict) (code int, body []byte, err error) {
	br := bufio.NewReader(bytes.NewReader(row.raw))
	for {
		r, err := http.ReadResponse(br, &http.Request{Method: row.method})
		if err != nil {
			return 0, nil, err
		}
		if r.StatusCode/100 == 1 && r.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		content := io.Reader(r.Body)
		if coding := strings.ToLower(r.Header.Get("Content-Encoding")); row.gzip && strings.HasSuffix(coding, "gzip") && !strings.Contains(coding, "gzip,") {
			if content, err = gzip.NewReader(r.Body); err != nil {
				return r.StatusCode, nil, err
			}
		}
		body, err := io.ReadAll(content)
		return r.StatusCode, body, err
	}
}

// Each row of the table is judged by net/http too. Where both accept they read the same; every other difference is one of testdata/nethttp.txt.
func TestDifferencesToNetHTTPAreNamed(t *testing.T) {
	all := differences(t)
	same, bothRefuse := 0, 0
	for _, row := range verdicts(t) {
		if row.end != errSilent && row.end != io.EOF {
			continue // ReadResponse knows no connection, and so no reset
		}
		ours := answer(t, row.request(), row.end, row.raw)
		code, body, err := readAsNetHTTP(row)
		refused := ours.Err != nil && errors.Is(ours.Err, io.ErrUnexpectedEOF)
		var words string
		if e, ok := ours.Err.(*Error); ok {
			refused, words = true, e.Rule
		}
		switch {
		case refused && err != nil:
			bothRefuse++
			continue
		case !refused && err == nil:
			if said := said(ours); !strings.Contains(said, itoa(code)) || ours.Err == nil && ours.Body != string(body) {
				t.Errorf("%s: we read %s, net/http %d %q", row.name, said, code, body)
			}
			same++
			continue
		}
		class := "refuse"
		if !refused {
			class, words = "accept", err.Error()
		}
		named := false
		for _, d := range all {
			if d.ours == class && strings.HasPrefix(words, d.words) {
				d.rows++
				named = true
			}
		}
		if !named {
			t.Errorf("%s: we %s, net/http does not, and no class names it: %q (net/http: %d, %v)", row.name, class, words, code, err)
		}
	}
	for _, d := range all {
		if d.rows == 0 {
			t.Errorf("no row shows the difference %s | %s", d.ours, d.words)
		}
	}
	t.Logf("%d rows read the same, %d refused by both, the rest in %d classes", same, bothRefuse, len(all))
}

// A row is there once: by its name and by its bytes.
func TestTheTableHasNoRowTwice(t *testing.T) {
	names, bytes := make(map[string]bool), make(map[string]string)
	for _, row := range verdicts(t) {
		key := row.method + map[bool]string{true: " gzip"}[row.gzip] + string(row.raw)
		if row.end != nil {
			key += row.end.Error()
		}
		if names[row.name] {
			t.Errorf("%s is there twice", row.name)
		}
		if other, twice := bytes[key]; twice {
			t.Errorf("%s has the bytes of %s", row.name, other)
		}
		if !strings.HasPrefix(row.section, "RFC ") {
			t.Errorf("%s names no section", row.name)
		}
		names[row.name], bytes[key] = true, row.name
	}
	t.Logf("%d rows", len(names))
}
