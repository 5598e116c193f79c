package rest

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readImpersonation is what an API server reads from a request's header, through net/http: keys of extra are unescaped as a path is, and in lower case.
func readImpersonation(t *testing.T, head string) Impersonation {
	t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head)))
	if err != nil {
		t.Fatalf("%v in %q", err, head)
	}
	i := Impersonation{User: r.Header.Get("Impersonate-User"), UID: r.Header.Get("Impersonate-Uid"), Groups: r.Header["Impersonate-Group"]}
	for name, values := range r.Header {
		escaped, ok := strings.CutPrefix(name, "Impersonate-Extra-")
		if !ok {
			continue
		}
		key, err := url.PathUnescape(strings.ToLower(escaped))
		if err != nil {
			t.Fatal(err)
		}
		if i.Extra == nil {
			i.Extra = make(map[string][]string)
		}
		i.Extra[key] = values
	}
	return i
}

func TestImpersonationArrivesAsItWasMeant(t *testing.T) {
	for _, as := range []Impersonation{
		{},
		{User: "jane"},
		{User: "system:serviceaccount:shop:web", UID: "06f6ce97-e2c5-4ab8-7ba5-7654dd08d52b"},
		{User: "jane", Groups: []string{"b", "a", "system:authenticated", ""}},
		{User: "jane", Extra: map[string][]string{"scopes": {"view", "deployment", "view"}}},
		{User: "jane", Extra: map[string][]string{"acme.com/project": {"some project"}, "100%": {"x"}, "a b\r\nc:\x00\u00fc\u212a": {"y"}, "%2f": {"z"}, "": {"empty key"}}},
		{User: "Jos\u00e9", UID: "u", Groups: []string{"g"}, Extra: map[string][]string{"k": {"v"}, "nothing": {}}},
	} {
		s := newScript(errSilent, []byte(hello))
		c := scripted(t, Config{Impersonate: as}, s)
		if o := fetch(t, c, Request{Path: "/"}); o.Body != "hello" {
			t.Fatalf("%+v", o)
		}
		delete(as.Extra, "nothing")
		if diff := cmp.Diff(as, readImpersonation(t, s.written())); diff != "" {
			t.Errorf("- meant, + read:\n%s", diff)
		}
	}
}

func TestImpersonationThatCannotBeMeantIsRefused(t *testing.T) {
	for name, as := range map[string]Impersonation{
		"a uid alone":                  {UID: "planted"},
		"groups alone":                 {Groups: []string{"planted"}},
		"extra alone":                  {Extra: map[string][]string{"planted": nil}},
		"a line break in the user":     {User: "planted\r\nX: y"},
		"a NUL in a group":             {User: "u", Groups: []string{"planted\x00"}},
		"a blank at the user's end":    {User: "planted "},
		"a tab before a group":         {User: "u", Groups: []string{"\tplanted"}},
		"a line feed in extra":         {User: "u", Extra: map[string][]string{"k": {"planted\n"}}},
		"a blank at the end of a uid":  {User: "u", UID: "planted\u00a0"},
		"a control character in extra": {User: "u", Extra: map[string][]string{"k": {"planted\x1b[2J"}}},
	} {
		_, err := NewClient(Config{Server: "https://api.example", Impersonate: as})
		if e := asError(t, err); e.Phase != PhaseConfig || strings.Contains(e.Error(), "planted") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Who is asking is the configuration's to say: a request cannot add itself to somebody's groups.
func TestARequestCannotImpersonateByItself(t *testing.T) {
	c := scripted(t, Config{Impersonate: Impersonation{User: "jane"}})
	for _, name := range []string{"Impersonate-Group", "impersonate-user", "IMPERSONATE-EXTRA-x"} {
		_, err := c.Do(t.Context(), Request{Path: "/", Header: Header{{name, "system:masters"}}})
		if e := asError(t, err); e.Phase != PhaseConfig || c.Stats().Dials != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Who it is may be seen in a trace; what extra says about them may not: it holds scopes and session ids.
func TestATraceShowsWhoIsImpersonated(t *testing.T) {
	var lines []string
	c := scripted(t, Config{
		Impersonate: Impersonation{User: "jane", Groups: []string{"admins"}, Extra: map[string][]string{"session": {"planted"}}},
		Trace:       &Trace{Request: func(i RequestSent) { lines = i.Lines }},
	}, newScript(errSilent, []byte(hello)))
	fetch(t, c, Request{Path: "/"})
	text := strings.Join(lines, "\n")
	if !strings.Contains(text, "Impersonate-User: jane\nImpersonate-Group: admins\nImpersonate-Extra-session: <masked>") || strings.Contains(text, "planted") {
		t.Error(text)
	}
	if text := fmt.Sprintf("%v %+v %#v", c, c, c); strings.Contains(text, "planted") {
		t.Error(text)
	}
}

// Options replace the whole of the user's impersonation: a user given by hand does not get the groups of another.
func TestLoadConfigImpersonates(t *testing.T) {
	file := kube(serverLine, "as: jane\nas-uid: '7'\nas-groups: [b, a]\nas-user-extra: {acme.com/project: [x, z]}")
	full := Impersonation{User: "jane", UID: "7", Groups: []string{"b", "a"}, Extra: map[string][]string{"acme.com/project": {"x", "z"}}}
	path := t.TempDir() + "/config"
	writeFile(t, path, file)
	for _, test := range []struct {
		name       string
		given, got Impersonation
	}{
		{"the file's", Impersonation{}, full},
		{"another user", Impersonation{User: "joe"}, Impersonation{User: "joe"}},
	} {
		c, err := LoadConfig(LoadOptions{Kubeconfig: path, Impersonate: test.given, Token: "t", Env: func(string) string { return "" }})
		if diff := cmp.Diff(test.got, c.Impersonate); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", test.name, err, diff)
		}
	}
	if _, err := LoadConfig(LoadOptions{Kubeconfig: path, Impersonate: Impersonation{Groups: []string{"g"}}, Env: func(string) string { return "" }}); err == nil {
		t.Error("groups without a user were accepted")
	}
}
