package rest

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// testClock is a clock the test moves by hand.
type testClock struct{ now time.Time }

func (c *testClock) Now() time.Time          { return c.now }
func (c *testClock) advance(d time.Duration) { c.now = c.now.Add(d) }

func newTestClock() *testClock {
	return &testClock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func wantToken(t *testing.T, f *TokenFile, want string) {
	t.Helper()
	got, err := f.Token(t.Context())
	if err != nil || got != want {
		t.Fatalf("got token %q and error %v, want %q", got, err, want)
	}
}

func TestTokenFileIsReadOnceAMinute(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	writeFile(t, path, "first\n")
	clock := newTestClock()
	f := NewTokenFile(path, TokenFileOptions{Now: clock.Now})
	wantToken(t, f, "first")

	writeFile(t, path, "second")
	clock.advance(59 * time.Second)
	wantToken(t, f, "first")
	clock.advance(time.Second)
	wantToken(t, f, "second")
}

func TestTokenFileIsReadAgainAfterARejection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	writeFile(t, path, "first")
	clock := newTestClock()
	f := NewTokenFile(path, TokenFileOptions{Now: clock.Now})
	wantToken(t, f, "first")

	writeFile(t, path, "second")
	f.Rejected("first")
	wantToken(t, f, "second")

	// The answer to a request that was sent with the old token comes late.
	writeFile(t, path, "third")
	f.Rejected("first")
	wantToken(t, f, "second")
}

func TestTokenFileFollowsTheVolumeSwap(t *testing.T) {
	// The kubelet's layout: token -> ..data/token, ..data -> ..<time>; an update
	// writes a new folder, and renames a new link over ..data.
	dir := t.TempDir()
	version := func(name, token string) {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, name, "token"), token)
		if err := os.Symlink(name, filepath.Join(dir, "..data_tmp")); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")); err != nil {
			t.Fatal(err)
		}
	}
	version("..1", "first")
	if err := os.Symlink("..data/token", filepath.Join(dir, "token")); err != nil {
		t.Fatal(err)
	}
	clock := newTestClock()
	f := NewTokenFile(filepath.Join(dir, "token"), TokenFileOptions{Now: clock.Now})
	wantToken(t, f, "first")

	version("..2", "second")
	if err := os.RemoveAll(filepath.Join(dir, "..1")); err != nil {
		t.Fatal(err)
	}
	clock.advance(time.Minute)
	wantToken(t, f, "second")
}

func TestTokenFileKeepsTheLastGoodToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	writeFile(t, path, "good")
	clock := newTestClock()
	f := NewTokenFile(path, TokenFileOptions{Now: clock.Now})
	wantToken(t, f, "good")

	for _, bad := range []string{"", "two\nlines", "nul\x00"} {
		writeFile(t, path, bad)
		clock.advance(time.Hour)
		wantToken(t, f, "good")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	clock.advance(time.Hour)
	wantToken(t, f, "good")

	// While it fails, every call looks again: recovery is noticed at once.
	writeFile(t, path, "better")
	wantToken(t, f, "better")

	// A rejected token is nothing to fall back on: say why there is none.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f.Rejected("better")
	if token, err := f.Token(t.Context()); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("got token %q and error %v, want the missing file", token, err)
	}
}

func TestTokenFileNeverReadIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	f := NewTokenFile(path, TokenFileOptions{})
	if _, err := f.Token(t.Context()); err == nil || !strings.Contains(err.Error(), quotePath(path)) {
		t.Errorf("got %v, want an error naming the file", err)
	}
	with := NewTokenFile(path, TokenFileOptions{Initial: "initial"})
	wantToken(t, with, "initial")
	writeFile(t, path, "read")
	wantToken(t, with, "read")
}

func TestTokenFileRefusesWhatNoHeaderCanCarry(t *testing.T) {
	for _, row := range []struct{ name, content, rule string }{
		{"empty", "", "is empty"},
		{"white space alone", " \r\n\t\n", "is empty"},
		{"two lines", "secret1\nsecret2", "more than one line (offset 7)"},
		{"a header smuggled in", "secret\r\nX-Remote-User: admin", "more than one line (offset 6)"},
		{"NUL", "sec\x00ret", "byte 0x00 at offset 3"},
		{"blank inside", "sec ret", "byte 0x20 at offset 3"},
		{"delete", "sec\x7fret", "byte 0x7f at offset 3"},
		{"above ASCII", "secrét", "byte 0xc3 at offset 4"},
		{"byte order mark", "\ufeffsecret", "byte 0xef at offset 0"},
		{"too long", strings.Repeat("s", 64<<10+1), "larger than 65536 bytes"},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "token")
			writeFile(t, path, row.content)
			token, err := NewTokenFile(path, TokenFileOptions{}).Token(t.Context())
			if err == nil || !strings.Contains(err.Error(), row.rule) {
				t.Fatalf("got token %q and error %v, want %q", token, err, row.rule)
			}
			if strings.Contains(err.Error(), "sec") || strings.Contains(err.Error(), "ret") {
				t.Errorf("the message repeats the token: %v", err)
			}
		})
	}
}

func TestTokenFileLimitsAndIntervalsCanBeOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	long := strings.Repeat("s", 64<<10+1)
	writeFile(t, path, long)
	clock := newTestClock()
	f := NewTokenFile(path, TokenFileOptions{MaxBytes: -1, RefreshInterval: -1, Now: clock.Now})
	wantToken(t, f, long)
	writeFile(t, path, "next")
	clock.advance(1000 * time.Hour)
	wantToken(t, f, long)
	f.Rejected(long)
	wantToken(t, f, "next")
}

func TestTokenFileOutlivesAClockSetBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	writeFile(t, path, "first")
	clock := newTestClock()
	f := NewTokenFile(path, TokenFileOptions{Now: clock.Now})
	wantToken(t, f, "first")
	writeFile(t, path, "second")
	clock.advance(-time.Hour)
	wantToken(t, f, "second")
}

func TestTokenFileIsSafeForConcurrentUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	writeFile(t, path, "token")
	f := NewTokenFile(path, TokenFileOptions{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if token, err := f.Token(t.Context()); token != "token" || err != nil {
					t.Errorf("got %q, %v", token, err)
				}
				f.Rejected("token")
			}
		})
	}
	wg.Wait()
}

func TestTokenFileNeverPrintsItsToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	writeFile(t, path, "planted-secret")
	f := NewTokenFile(path, TokenFileOptions{Initial: "planted-secret"})
	before := printEveryWay(t, f)
	wantToken(t, f, "planted-secret")
	for _, printed := range []string{before, printEveryWay(t, f), fmt.Sprintf("%+v", struct{ F *TokenFile }{f})} {
		if strings.Contains(printed, "planted-secret") {
			t.Errorf("printed: %s", printed)
		}
	}
	if f.Path() != path {
		t.Errorf("path %s", f.Path())
	}
}

// printEveryWay returns what the usual printers make of a value.
func printEveryWay(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X"} {
		fmt.Fprintf(&b, verb+"\n", v)
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	b.Write(data)
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "v", v)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "v", v)
	return b.String()
}
