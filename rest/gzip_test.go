package rest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/internal/wiretest"
)

// zipped returns each text as a gzip member.
func zipped(t testing.TB, texts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		w := gzip.NewWriter(&b)
		io.WriteString(w, text)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// unzip decodes with the client's limits, or those given.
func unzip(r io.Reader) ([]byte, error) {
	return io.ReadAll(newGzipReader(&wireReader{src: r}, defaultMaxGzipMembers, defaultMaxGzipRatio))
}

// gzipCases are bodies and whether they are good. The fuzz target begins with them.
func gzipCases(t testing.TB) map[string]struct {
	raw  []byte
	good bool
} {
	type c = struct {
		raw  []byte
		good bool
	}
	one := zipped(t, "hello")
	with := func(at int, b byte) []byte {
		x := bytes.Clone(one)
		x[at] = b
		return x
	}
	var full bytes.Buffer
	w := gzip.NewWriter(&full)
	w.Name, w.Comment, w.Extra, w.ModTime = "name", "comment", []byte("extra"), time.Unix(1, 0)
	io.WriteString(w, "hello")
	w.Close()
	checked := append([]byte{0x1f, 0x8b, 8, gzipHCRC, 0, 0, 0, 0, 0, 255}, 0, 0)
	sum := uint16(crc32.ChecksumIEEE(checked[:10]))
	checked[10], checked[11] = byte(sum), byte(sum>>8)
	wrong := bytes.Clone(checked)
	wrong[10]++
	long := append([]byte{0x1f, 0x8b, 8, gzipName, 0, 0, 0, 0, 0, 255}, bytes.Repeat([]byte("n"), gzipMaxHeader)...)
	return map[string]c{
		"one member":              {one, true},
		"two members":             {zipped(t, "hello ", "world"), true},
		"empty members between":   {zipped(t, "", "hello", "", "", "world", ""), true},
		"every header field":      {full.Bytes(), true},
		"header checksum":         {append(checked, one[10:]...), true},
		"wrong header checksum":   {append(wrong, one[10:]...), false},
		"stored":                  {append(bytes.Clone(one[:10]), 1, 5, 0, 0xfa, 0xff, 'h', 'e', 'l', 'l', 'o', 0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0), true},
		"nothing":                 {nil, false},
		"no gzip":                 {[]byte("hello"), false},
		"half a magic":            {one[:1], false},
		"wrong magic":             {with(1, 0x8c), false},
		"another method":          {with(2, 7), false},
		"a reserved flag":         {with(3, 0x20), false},
		"bad deflate":             {with(10, 0xff), false},
		"wrong checksum":          {with(len(one)-8, 0), false},
		"wrong length":            {with(len(one)-4, 4), false},
		"junk after":              {append(bytes.Clone(one), "junk"...), false},
		"zeros after":             {append(bytes.Clone(one), 0, 0, 0), false},
		"half a member after":     {append(bytes.Clone(one), one[:12]...), false},
		"an endless name":         {append(long, one[10:]...), false},
		"an extra field cut":      {append([]byte{0x1f, 0x8b, 8, gzipExtra, 0, 0, 0, 0, 0, 255}, 9, 0, 'x'), false},
		"half a header checksum":  {append([]byte{0x1f, 0x8b, 8, gzipHCRC, 0, 0, 0, 0, 0, 255}, 9), false},
		"no length of the extras": {[]byte{0x1f, 0x8b, 8, gzipExtra, 0, 0, 0, 0, 0, 255}, false},
	}
}

func TestGzipEqualsCompressGzip(t *testing.T) {
	for name, c := range gzipCases(t) {
		compareGzip(t, c.raw)
		_, err := unzip(bytes.NewReader(c.raw))
		if (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
		if e, ok := err.(*Error); err != nil && (!ok || !e.Protocol()) {
			t.Errorf("%s: %#v is no breach of a rule", name, err)
		}
	}
}

// compareGzip: what we decode, compress/gzip decodes to the same.
func compareGzip(t testing.TB, raw []byte) {
	t.Helper()
	ours, err := unzip(bytes.NewReader(raw))
	if err != nil {
		return
	}
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("accepted, compress/gzip refuses: %v\n%x", err, raw)
	}
	theirs, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(ours, theirs) {
		t.Fatalf("%q, compress/gzip says %q, %v\n%x", ours, theirs, err, raw)
	}
}

func TestGzipDoesNotDependOnHowReadsAreSliced(t *testing.T) {
	for name, c := range gzipCases(t) {
		if len(c.raw) > 1000 {
			continue
		}
		want, wantErr := unzip(bytes.NewReader(c.raw))
		for split, r := range wiretest.EverySplit(c.raw) {
			got, err := unzip(r)
			if !bytes.Equal(got, want) || (err == nil) != (wantErr == nil) || (err != nil && err.(*Error).Rule != wantErr.(*Error).Rule) {
				t.Fatalf("%s, %s: %q %v, want %q %v", name, split, got, err, want, wantErr)
			}
		}
		small, err := io.ReadAll(iotest.OneByteReader(newGzipReader(&wireReader{src: bytes.NewReader(c.raw)}, -1, -1)))
		if !bytes.Equal(small, want) || (err == nil) != (wantErr == nil) {
			t.Fatalf("%s, read byte by byte: %q %v", name, small, err)
		}
	}
}

func TestCutGzipIsNeverAShorterSuccess(t *testing.T) {
	raw := zipped(t, "hello ", "", "world")
	ends := map[int]string{len(zipped(t, "hello ")): "hello ", len(zipped(t, "hello ", "")): "hello "} // between members: complete, as far as gzip knows
	for n, r := range wiretest.EveryCut(raw) {
		got, err := unzip(r)
		if want, ok := ends[n]; ok && err == nil && string(got) == want {
			continue
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) || !err.(*Error).Protocol() {
			t.Errorf("cut at %d: %q, %v", n, got, err)
		}
		broken := errors.New("broken pipe")
		if _, err := unzip(io.MultiReader(bytes.NewReader(raw[:n]), iotest.ErrReader(broken))); !errors.Is(err, broken) {
			t.Errorf("failed at %d: %v", n, err)
		}
	}
}

// A server flushes a watch-list by ending a member. What it flushed must come out although the next member, even the next byte, is minutes away.
func TestAMembersDataIsReturnedBeforeAnythingElseIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{})
		defer c.Close()
		p.run(func() {
			conn := p.accept()
			conn.head()
			conn.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
			for i := range 4 {
				time.Sleep(time.Minute)
				m := zipped(t, "hello")
				if i == 3 { // the checksum comes later
					conn.send(hexChunk(m[:len(m)-8]))
					time.Sleep(time.Minute)
					m = m[len(m)-8:]
				}
				conn.send(hexChunk(m))
			}
			conn.send("0\r\n\r\n")
			conn.head()
			conn.Close()
		})
		r, err := c.Do(t.Context(), Request{Path: "/", Gzip: true})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		buf := make([]byte, 100)
		for i := range 4 {
			var n int
			if took := timed(func() { n, err = r.Body.Read(buf) }); took != time.Minute || string(buf[:n]) != "hello" || err != nil {
				t.Errorf("member %d: %q after %v, %v", i, buf[:n], took, err)
			}
		}
		if took := timed(func() { _, err = r.Body.Read(buf) }); err != io.EOF || took != time.Minute {
			t.Errorf("the end: %v after %v", err, took)
		}
		if s := c.Stats(); s.Idle != 1 {
			t.Errorf("%+v", s)
		}
	})
}

func hexChunk(b []byte) string {
	return strings.ToLower(strings.TrimLeft(string("0123456789ABCDEF"[len(b)>>4])+string("0123456789ABCDEF"[len(b)&15]), "0")) + "\r\n" + string(b) + "\r\n"
}

func TestGzipMembersAreCounted(t *testing.T) {
	raw := bytes.Repeat(zipped(t, ""), 1000)
	if _, err := io.ReadAll(newGzipReader(&wireReader{src: bytes.NewReader(raw)}, 1000, -1)); err != nil {
		t.Error(err)
	}
	_, err := io.ReadAll(newGzipReader(&wireReader{src: bytes.NewReader(raw)}, 999, -1))
	if e := asError(t, err); !strings.Contains(e.Rule, "more than 999 gzip members") {
		t.Error(err)
	}
}

// 64 MiB of zeros in 64 KiB: a thousand to one.
func TestGzipIsHeldToARatio(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	zeros := make([]byte, 1<<20)
	for range 64 {
		w.Write(zeros)
	}
	w.Close()
	n, err := io.Copy(io.Discard, newGzipReader(&wireReader{src: bytes.NewReader(b.Bytes())}, -1, defaultMaxGzipRatio))
	if e := asError(t, err); !strings.Contains(e.Rule, "more than 200 times") || n > gzipFreeOutput+64<<10 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if n, err := io.Copy(io.Discard, newGzipReader(&wireReader{src: bytes.NewReader(b.Bytes())}, -1, 2000)); err != nil || n != 64<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := io.Copy(io.Discard, newGzipReader(&wireReader{src: bytes.NewReader(b.Bytes())}, -1, -1)); err != nil {
		t.Error(err)
	}
}

func TestGzipIsAskedForOnRequestOnly(t *testing.T) {
	body := zipped(t, "hello")
	head := "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + itoa(len(body)) + "\r\n\r\n"
	for _, test := range []struct {
		name    string
		cfg     Config
		request Request
		head    string
		want    string
		sent    string
	}{
		{"asked", Config{}, Request{Gzip: true}, head, `200 "hello" keep`, "Accept-Encoding: gzip\r\n"},
		{"asked, by its old name", Config{}, Request{Gzip: true}, strings.Replace(head, "gzip", "x-GZIP", 1), `200 "hello" keep`, "Accept-Encoding: gzip\r\n"},
		{"not asked", Config{}, Request{}, head, "refuse", "Accept-Encoding: identity\r\n"},
		{"off", Config{DisableCompression: true}, Request{Gzip: true}, head, "refuse", "Accept-Encoding: identity\r\n"},
		{"twice", Config{}, Request{Gzip: true}, strings.Replace(head, "gzip", "gzip, gzip", 1), "refuse", ""},
		{"another", Config{}, Request{Gzip: true}, strings.Replace(head, "gzip", "deflate", 1), "refuse", ""},
		{"an error", Config{}, Request{Gzip: true}, strings.Replace(head, "200", "502", 1), "error 502 keep", ""},
	} {
		s := newScript(errSilent, []byte(test.head+string(body)))
		c := scripted(t, test.cfg, s)
		test.request.Path = "/"
		if o := fetch(t, c, test.request); !strings.HasPrefix(said(o), test.want) {
			t.Errorf("%s: %s", test.name, said(o))
		}
		if !strings.Contains(s.written(), test.sent) {
			t.Errorf("%s: sent %q", test.name, s.written())
		}
	}
}

// The message is complete for HTTP and not for gzip: an error, and not the connection's fault.
func TestABodyWhoseGzipIsBrokenIsAnError(t *testing.T) {
	body := zipped(t, "hello")
	for name, raw := range map[string][]byte{"truncated": body[:len(body)-1], "junk": append(bytes.Clone(body), 'x'), "empty": {}} {
		s := newScript(errSilent, append([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: "+itoa(len(raw))+"\r\n\r\n"), raw...))
		o := fetch(t, scripted(t, Config{}, s), Request{Path: "/", Gzip: true})
		if e := asError(t, o.Err); !e.Protocol() || e.Phase != PhaseBody || o.Kept {
			t.Errorf("%s: %+v", name, o)
		}
	}
}
