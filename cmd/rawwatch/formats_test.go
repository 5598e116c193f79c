package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
)

// sample is a short watch of everything that formats have to tell apart.
func sample() []event {
	at := func(ms int) time.Time {
		return time.Date(2026, 8, 1, 9, 30, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
	}
	object := func(name, version string) string {
		return `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"` + name + `","namespace":"shop","uid":"u-` + name + `","resourceVersion":"` + version + `"},"spec":{"nodeName":"node-1"}}`
	}
	sent := func(e event, kind, object string) event {
		e.kind, e.object, e.raw = kind, []byte(object), []byte(`{"type":"`+kind+`","object":`+object+`}`)
		return e
	}
	pod := func(name, version string) event {
		return event{resource: "pods", typeName: "pods", key: types.NamespacedName{Namespace: "shop", Name: name}, uid: "u-" + name, version: version, apiVersion: "v1", objectKind: "Pod"}
	}
	item := pod("web-1", "7")
	item.time, item.kind, item.object, item.initial = at(0), typeAdded, []byte(object("web-1", "7")), true
	added := sent(pod("web-6d4cf56db6-x2x9q-longer-than-the-column", "1012"), typeAdded, object("web-6d4cf56db6-x2x9q-longer-than-the-column", "1012"))
	added.time, added.conn, added.offset, added.chunks = at(1204), 2, 0, span{1, 1}
	modified := sent(pod("web-1", "1013"), typeModified, object("web-1", "1013"))
	modified.time, modified.conn, modified.offset, modified.chunks = at(1205), 2, 340, span{2, 4}
	bookmark := sent(event{resource: "pods", version: "1040"}, typeBookmark, `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"1040","annotations":{"k8s.io/initial-events-end":"true"}}}`)
	bookmark.time, bookmark.conn, bookmark.offset, bookmark.chunks, bookmark.marker = at(61_205), 2, 700, span{5, 5}, true
	deleted := sent(pod("web-1", "1041"), typeDeleted, object("web-1", "1041"))
	deleted.time, deleted.conn, deleted.offset, deleted.chunks = at(61_900), 2, 900, span{6, 6}
	missing := pod("web-2", "8")
	missing.time, missing.kind, missing.relist = at(15*60_000), typeDeleted, true
	return []event{item, added, modified, bookmark, deleted, missing}
}

func formatted(t *testing.T, f format, events []event) string {
	t.Helper()
	var b []byte
	for i := range events {
		var err error
		if b, err = f.append(b, &events[i]); err != nil {
			t.Fatal(err)
		}
	}
	return string(b)
}

func TestFormats(t *testing.T) {
	tagged := append(sample()[:3:3], sample()[1])
	tagged[3].resource, tagged[3].key = "deployments.apps", types.NamespacedName{Namespace: "shop", Name: "web"}
	for _, c := range []struct {
		golden string
		format format
		events []event
	}{
		{"lines.txt", newLines(linesOptions{resources: []string{"pods"}}), sample()},
		{"lines-noheaders.txt", newLines(linesOptions{resources: []string{"pods"}, noHeaders: true}), sample()},
		{"lines-color.txt", newLines(linesOptions{resources: []string{"pods"}, palette: true}), sample()},
		{"lines-tagged.txt", newLines(linesOptions{resources: []string{"pods", "deployments.apps"}}), tagged},
		{"wide.txt", newLines(linesOptions{resources: []string{"pods"}, wide: true}), sample()},
		{"list.txt", newLines(linesOptions{resources: []string{"pods"}, list: true}), sample()[:3]},
		{"json.txt", jsonLines{}, sample()},
		{"envelope.txt", jsonEnvelopes{}, sample()},
		{"yaml.txt", &yamlDocuments{}, sample()},
		{"name.txt", names{}, sample()},
	} {
		t.Run(c.golden, func(t *testing.T) { golden(t, c.golden, formatted(t, c.format, c.events)) })
	}
}

// Colours must not move columns: without their codes the lines are those without colour.
func TestColourHasNoWidth(t *testing.T) {
	painted := formatted(t, newLines(linesOptions{resources: []string{"pods"}, palette: true}), sample())
	for _, c := range []ansi{green, yellow, red, bold, faint} {
		painted = strings.ReplaceAll(painted, "\x1b["+string(c)+"m", "")
	}
	painted = strings.ReplaceAll(painted, "\x1b[0m", "")
	if diff := cmp.Diff(formatted(t, newLines(linesOptions{resources: []string{"pods"}}), sample()), painted); diff != "" {
		t.Error(diff)
	}
}

// One event is one line and the object's bytes are those that came, whatever was sent between the tokens.
func TestJSONIsOneLinePerEventAndByteIdentical(t *testing.T) {
	for _, c := range []struct{ why, raw, want string }{
		{"no change", `{"type":"ADDED","object":{"a":1.50,"b":"\u00e9\n","c":1e400}}`, `{"type":"ADDED","object":{"a":1.50,"b":"\u00e9\n","c":1e400}}`},
		{"blanks stay", `{ "type" : "ADDED" , "object" : {}	}`, `{ "type" : "ADDED" , "object" : {}	}`},
		{"line feeds go", "{\n  \"type\": \"ADDED\",\r\n  \"object\": {}\n}", `{  "type": "ADDED",  "object": {}}`},
	} {
		got := formatted(t, jsonLines{}, []event{{kind: typeAdded, raw: []byte(c.raw)}})
		if got != c.want+"\n" {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// A watch-list calls everything ADDED; after a relist it is MODIFIED for those who have seen the object.
func TestWhatARelistFoundIsCalledWhatItIs(t *testing.T) {
	object := `{"metadata":{"name":"a"},"x":1.0}`
	e := event{kind: typeModified, relist: true, object: []byte(object), raw: []byte(`{"type":"ADDED","object":` + object + `}`)}
	if got, want := formatted(t, jsonLines{}, []event{e}), `{"type":"MODIFIED","object":`+object+"}\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestEveryJSONLineIsJSON(t *testing.T) {
	for _, f := range []format{jsonLines{}, jsonEnvelopes{}} {
		for line := range strings.Lines(formatted(t, f, sample())) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%T: %s", f, line)
			}
		}
	}
}

// What a server puts into names ends up in terminals.
func TestHostileNamesAreEscapedInLines(t *testing.T) {
	e := event{kind: "AD\x1bDED", resource: "pods", version: "1\r2", key: types.NamespacedName{Namespace: "a\x1b[2J", Name: "b\u202ec\xff\u009b"}}
	for _, f := range []format{newLines(linesOptions{resources: []string{"x", "y"}, wide: true, noHeaders: true}), names{}} {
		got := formatted(t, f, []event{e})
		if strings.ContainsAny(got[:len(got)-1], "\x1b\r\n\u202e\u009b") || strings.Contains(got, "\xff") {
			t.Errorf("%T: %q", f, got)
		}
		if !strings.Contains(got, `b\u202ec\xff\u009b`) {
			t.Errorf("%T: the name is gone: %q", f, got)
		}
	}
}

func TestEscapeLeavesTextAlone(t *testing.T) {
	for text, want := range map[string]string{
		"web-1": "web-1", "größe 東京": "größe 東京", "a\tb": `a\x09b`, "\U000e0001": `\U000e0001`, "\u00ad": `\u00ad`, "": "",
	} {
		if got := escape(text); got != want {
			t.Errorf("escape(%q) = %q, want %q", text, got, want)
		}
	}
	if got := escapeMax("größe", 3); got != "gr..." {
		t.Errorf("a cut within a letter: %q", got)
	}
}

func TestGap(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.000ms", 84 * time.Microsecond: "0.084ms", 12 * time.Millisecond: "12ms", 1204 * time.Millisecond: "1.204s", 9999999 * time.Microsecond: "9.999s",
		95340 * time.Millisecond: "95.3s", 2 * time.Minute: "2m00s", 725 * time.Second: "12m05s", 184 * time.Minute: "3h04m", -time.Second: "-1.000s",
	} {
		if got := gap(d); got != want {
			t.Errorf("gap(%v) = %s, want %s", d, got, want)
		}
	}
}

func TestPalette(t *testing.T) {
	for _, c := range []struct {
		why, mode string
		terminal  bool
		env       map[string]string
		want      palette
	}{
		{"a terminal has colour", "auto", true, nil, true},
		{"a pipe has none", "auto", false, nil, false},
		{"NO_COLOR", "auto", true, map[string]string{"NO_COLOR": "1"}, false},
		{"an empty NO_COLOR is not set (no-color.org)", "auto", true, map[string]string{"NO_COLOR": ""}, true},
		{"a terminal that cannot", "auto", true, map[string]string{"TERM": "dumb"}, false},
		{"the flag is stronger than NO_COLOR", "always", false, map[string]string{"NO_COLOR": "1"}, true},
		{"never", "never", true, nil, false},
	} {
		if got, err := choosePalette(c.mode, c.terminal, func(k string) string { return c.env[k] }); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", c.why, got, err)
		}
	}
	if _, err := choosePalette("blue", true, func(string) string { return "" }); !isUsage(err) {
		t.Errorf("--color=blue: %v", err)
	}
}
