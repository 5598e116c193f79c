package execplugin

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// runs counts the marks that a plugin left.
func runs(t *testing.T, mark string) int {
	t.Helper()
	data, err := os.ReadFile(mark)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return bytes.Count(data, []byte("\n"))
}

func TestACredentialIsKeptUntilItExpires(t *testing.T) {
	mark, now := filepath.Join(t.TempDir(), "mark"), newClock()
	expiry := now.Now().Add(time.Hour).Format(time.RFC3339)
	p := newPlugin(t, Options{Now: now.Now}, acting(t, "print", answer(V1, map[string]any{"token": "one", "expirationTimestamp": expiry}), mark))
	for _, step := range []struct {
		wait time.Duration
		runs int
	}{{0, 1}, {time.Minute, 1}, {58 * time.Minute, 1}, {time.Minute, 2}, {time.Hour, 3}} {
		now.advance(step.wait)
		token, cert, err := p.Credential(t.Context())
		if token != "one" || cert != nil || err != nil || runs(t, mark) != step.runs {
			t.Errorf("after %v more: %q, %v, %v, %d runs, want %d", step.wait, token, cert, err, runs(t, mark), step.runs)
		}
	}
}

func TestARejectedCredentialIsRenewedOnce(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	p := newPlugin(t, Options{}, acting(t, "print", answer(V1, map[string]any{"token": "one"}), mark))
	ask := func(want int) {
		t.Helper()
		if token, _, err := p.Credential(t.Context()); token != "one" || err != nil || runs(t, mark) != want {
			t.Errorf("%q, %v, %d runs, want %d", token, err, runs(t, mark), want)
		}
	}
	ask(1)
	p.Rejected("an older one", nil) // of a request that was on its way when the credential changed
	ask(1)
	p.Rejected("one", nil)
	ask(2)
	ask(2)
}

// Hundred requests at once want one login, not hundred.
func TestOneRunServesAllWhoWait(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	p := newPlugin(t, Options{}, acting(t, "print", answer(V1, map[string]any{"token": "one"}), mark))
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if token, _, err := p.Credential(t.Context()); token != "one" || err != nil {
				t.Errorf("%q, %v", token, err)
			}
		})
	}
	wg.Wait()
	if n := runs(t, mark); n != 1 {
		t.Errorf("%d runs", n)
	}
}

// The address of a certificate says whether it changed: connections hang on it.
func TestAnUnchangedCertificateKeepsItsAddress(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answer")
	write := func(cert, key string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(answer(V1, map[string]any{"clientCertificateData": cert, "clientKeyData": key})), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := newPlugin(t, Options{}, acting(t, "file", file))
	write(newPair(t))
	_, first, err := p.Credential(t.Context())
	if err != nil || first == nil {
		t.Fatal(err)
	}
	p.Rejected("", first)
	if _, again, _ := p.Credential(t.Context()); again != first {
		t.Error("the same certificate got another address")
	}
	write(newPair(t))
	p.Rejected("", first)
	if _, other, _ := p.Credential(t.Context()); other == first || other == nil {
		t.Error("another certificate got the same address")
	}
}

func TestWhoWaitsMayGiveUp(t *testing.T) {
	p := newPlugin(t, Options{}, acting(t, "hang"))
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	var wg sync.WaitGroup
	for range 3 { // one runs it, two wait for that
		wg.Go(func() {
			if _, _, err := p.Credential(ctx); !errors.Is(err, gone) {
				t.Errorf("%v", err)
			}
		})
	}
	cancel(gone)
	wg.Wait()
}

func TestAPluginThatDoesNotEndIsEnded(t *testing.T) {
	for _, act := range []string{"hang", "orphan"} {
		p := newPlugin(t, Options{Timeout: 300 * time.Millisecond}, acting(t, act))
		_, _, err := p.Credential(t.Context())
		if e := asError(t, err); !strings.Contains(e.Error(), "did not end within 300ms") {
			t.Errorf("%s: %v", act, err)
		}
	}
}

func TestAPluginThatPrintsTooMuchIsEnded(t *testing.T) {
	p := newPlugin(t, Options{MaxOutputBytes: 1 << 10}, acting(t, "flood"))
	_, _, err := p.Credential(t.Context())
	if e := asError(t, err); !strings.Contains(e.Error(), "more than 1024 bytes") {
		t.Errorf("%v", err)
	}
}

// What the plugin says is the best help there is; what it was told in confidence is not repeated, nor what it printed where the token belongs.
func TestAFailureShowsWhatThePluginSaid(t *testing.T) {
	for _, test := range []struct{ name, says, want string }{
		{"a line", "Error: not logged in\n", "; it said: Error: not logged in"},
		{"lines", "one\r\ntwo\n", "; it said: one | two"},
		{"a terminal's commands", "\x1b]0;title\x07\x1b[2Jred\u202e\xff", `; it said: \x1b]0;title\x07\x1b[2Jred\xe2\x80\xae\xff`},
		{"much", strings.Repeat("x", 5000) + "end", "; it said: ..." + strings.Repeat("x", maxTail-3) + "end"},
		{"nothing", "", ""},
		{
			"the secrets it was given", "get-token -v --client-secret planted1 planted2 a-long-planted-argument planted3 a-planted-profile dev",
			"; it said: get-token -v --client-secret <masked> <masked> <masked> <masked> <masked> dev",
		},
	} {
		file := filepath.Join(t.TempDir(), "says")
		if err := os.WriteFile(file, []byte(test.says), 0o600); err != nil {
			t.Fatal(err)
		}
		c := acting(t, "fail", file, "get-token", "-v", "--client-secret", "planted1", "--api-key=planted2", "a-long-planted-argument")
		c.Env = append(c.Env, EnvVar{"SECRET", "planted3"}, EnvVar{"PROFILE", "a-planted-profile"}, EnvVar{"STAGE", "dev"})
		var shown bytes.Buffer
		p := newPlugin(t, Options{Stderr: &shown}, c)
		_, _, err := p.Credential(t.Context())
		e := asError(t, err)
		if !strings.HasSuffix(e.Error(), "exit status 7"+test.want) || strings.ContainsAny(e.Error(), "\n\r\x1b\x07") || strings.Contains(e.Error(), "planted") {
			t.Errorf("%s: %q", test.name, e.Error())
		}
		if strings.ContainsAny(shown.String(), "\x1b\x07\r") || (test.says != "") != strings.HasSuffix(shown.String(), "\n") || strings.Contains(shown.String(), "planted") {
			t.Errorf("%s: shown %q", test.name, shown.String())
		}
	}
}

func TestAPluginThatIsNotThereIsExplained(t *testing.T) {
	for _, allow := range [][]string{nil, {"aws", "no-such-plugin"}} {
		p := newPlugin(t, Options{Allow: allow}, Config{APIVersion: V1, InteractiveMode: Never, Command: "no-such-plugin", InstallHint: "get it\x1b[2J\nfrom us"})
		_, _, err := p.Credential(t.Context())
		want := `plugin "no-such-plugin": it cannot be found: executable file not found in $PATH; the kubeconfig says: get it\x1b[2J | from us`
		if e := asError(t, err); e.Error() != want {
			t.Errorf("got  %s\nwant %s", e.Error(), want)
		}
	}
}

func TestWhatAPluginIsTold(t *testing.T) {
	p := newPlugin(t, Options{Env: func() []string { return []string{"OURS=1", "TWICE=ours", "PATH=" + os.Getenv("PATH")} }}, acting(t, "environment"))
	p.config.Env = append(p.config.Env, EnvVar{"TWICE", "theirs"}, EnvVar{infoVariable, "planted"})
	token, _, err := p.Credential(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, _ := hex.DecodeString(token)
	env := "\n" + string(text) + "\n"
	for _, want := range []string{"\nOURS=1\n", "\nTWICE=theirs\n", "\n" + infoVariable + `={"kind":"ExecCredential","apiVersion":"` + V1 + `","spec":{"interactive":false}}` + "\n"} {
		if !strings.Contains(env, want) {
			t.Errorf("no %q in %s", want, env)
		}
	}
	if strings.Contains(env, "planted") || strings.Contains(env, "TWICE=ours") {
		t.Error(env)
	}
}

// Nothing waits at a standard input that nobody writes to.
func TestAPluginWithoutATerminalReadsNothing(t *testing.T) {
	for _, mode := range []InteractiveMode{Never, IfAvailable} {
		c := acting(t, "stdin")
		c.InteractiveMode = mode
		token, _, err := newPlugin(t, Options{}, c).Credential(t.Context())
		if text, _ := hex.DecodeString(token); string(text) != "<nil>" || err != nil {
			t.Errorf("%s: %q, %v", mode, text, err)
		}
	}
}

func TestAPluginMayAskAtTheTerminal(t *testing.T) {
	for _, test := range []struct {
		mode InteractiveMode
		want string
	}{{Never, "<nil>"}, {IfAvailable, "typed<nil>"}, {Always, "typed<nil>"}} {
		read, write, err := os.Pipe() // in place of one
		if err != nil {
			t.Fatal(err)
		}
		write.WriteString("typed")
		write.Close()
		c := acting(t, "stdin")
		c.InteractiveMode = test.mode
		p := newPlugin(t, Options{Terminal: read}, c)
		token, _, err := p.Credential(t.Context())
		if text, _ := hex.DecodeString(token); string(text) != test.want || err != nil {
			t.Errorf("%s: %q, %v", test.mode, text, err)
		}
		if got, want := strings.Contains(p.info, `"interactive":true`), test.mode != Never; got != want {
			t.Errorf("%s: told %s", test.mode, p.info)
		}
		read.Close()
	}
}

func TestNoPrintOfAPluginShowsWhatItIsToldOrGives(t *testing.T) {
	c := acting(t, "print", answer(V1, map[string]any{"token": "planted-token"}))
	c.Env = append(c.Env, EnvVar{"SECRET", "planted-secret"})
	p := newPlugin(t, Options{}, c)
	if _, _, err := p.Credential(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]any{"plugin": p, "config": c, "in a struct": struct{ P *Plugin }{p}, "in a slice": []any{p, c, &c}} {
		data, err := json.Marshal(value)
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "value", value)
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "value", value)
		text := fmt.Sprintf("%v %+v %#v %s %q %x %d", value, value, value, value, value, value, value) + string(data) + log.String()
		if strings.Contains(text, "planted") || strings.Contains(text, fmt.Sprintf("%x", "planted")) || err != nil {
			t.Errorf("%s: %v %s", name, err, text)
		}
	}
}

// A secret is recognised as a whole: neither the bound of what is kept, nor the end of a write, nor its own line ends, nor another secret that is a part
// of it may leave some of it to be seen.
func TestNoPieceOfASecretIsShown(t *testing.T) {
	long := strings.Repeat("planted-", 300)
	var lines string
	for i := range 20 {
		lines += fmt.Sprintf("planted line %02d of a key\n", i)
	}
	for name, says := range map[string]string{
		"longer than what an error shows": "refused: " + long + "\n",
		"longer, and more behind it":      "refused: " + long + strings.Repeat(" x", 600) + "\n",
		"beyond what is kept":             long + strings.Repeat("x", maxKept-100) + "\n",
		"in many lines":                   "the key is\n" + lines,
		"some of its lines":               lines[len(lines)/2:],
		"one within another":              "short-planted and short-planted-longer-planted",
		"over and over":                   strings.Repeat(long+"\n", 100),
		"over and over, in one line":      strings.Repeat(long, 100),
	} {
		file := filepath.Join(t.TempDir(), "says")
		if err := os.WriteFile(file, []byte(says), 0o600); err != nil {
			t.Fatal(err)
		}
		c := acting(t, "fail", file)
		c.Env = append(c.Env, EnvVar{"A", "short-planted"}, EnvVar{"B", "short-planted-longer-planted"}, EnvVar{"C", long}, EnvVar{"D", lines})
		var shown bytes.Buffer
		p := newPlugin(t, Options{Stderr: &shown}, c)
		_, _, err := p.Credential(t.Context())
		if e := asError(t, err); strings.Contains(e.Error(), "plant") || strings.Contains(e.Error(), "longer-") || len(e.Stderr) > maxTail+3 {
			t.Errorf("%s: %q", name, e.Error())
		}
		if text := shown.String(); strings.Contains(text, "plant") || strings.Contains(text, "longer-") || !strings.HasSuffix(text, "\n") {
			t.Errorf("%s: shown %q", name, text)
		}
	}
}

// The plugin says something while it fetches the next credential: the last one is still good, and not to be seen.
func TestTheLastCredentialIsNotShown(t *testing.T) {
	cert, key := newPair(t)
	p := newPlugin(t, Options{}, acting(t, "print", answer(V1, map[string]any{"token": "planted-token", "clientCertificateData": cert, "clientKeyData": key})))
	if _, _, err := p.Credential(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := p.mask(escape("refused: planted-token "+key, " | "))
	for _, line := range strings.Split(strings.TrimSpace(key), "\n") {
		if strings.Contains(text, line) || strings.Contains(text, "planted") {
			t.Errorf("%q", text)
		}
		if text := p.mask(line); text != "<masked>" {
			t.Errorf("%q", text)
		}
	}
}
