package listwatch

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// An event that is printed, to see what it is, does not show a Secret's data.
func TestPrintingAnEventShowsNoContent(t *testing.T) {
	e := Event{
		Kind: Problem, Identity: watchdecoder.Identity{Kind: []byte("Secret"), Namespace: []byte("n"), Name: []byte("s\x1b"), ResourceVersion: []byte("5")},
		Object: []byte("planted"), Raw: []byte("{planted}"), Version: "7", Offset: 3, Conn: 2, Err: errors.New("why"), Reason: "Because",
	}
	const want = `Problem "Secret" "n"/"s\x1b" version "5": 9 bytes at 3 of connection 2, now at version "7", Because: why`
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%v %+v %#v %s %q %d %x %v ", e, e, e, e, e, e, e, &e) + string(text)
	if !strings.HasPrefix(all, want+" "+want) || strings.Contains(all, "planted") || strings.Contains(all, fmt.Sprintf("%x", "planted")) {
		t.Errorf("got %s\nwant %s", all, want)
	}
}

func TestPrintingAReflectorNamesItsCollection(t *testing.T) {
	r := New(nil, Options{Path: "/apis/example.com/v1/widgets"})
	if text := fmt.Sprintf("%v %s %#v", r, r, r); text != strings.TrimSuffix(strings.Repeat("Reflector(/apis/example.com/v1/widgets) ", 3), " ") {
		t.Error(text)
	}
}
