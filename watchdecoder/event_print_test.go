package watchdecoder_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// An event or an item that is printed, to see what it is, does not show a Secret's data.
func TestPrintingAFrameShowsNoContent(t *testing.T) {
	const object = `{"kind":"Secret","metadata":{"namespace":"n","name":"s\n","resourceVersion":"5"},"data":{"p":"planted"}}`
	d := watchdecoder.NewDecoder(strings.NewReader(`{"type":"ADDED","object":`+object+`}`), watchdecoder.Options{})
	frame, err := d.Next()
	if err != nil {
		t.Fatal(err)
	}
	for want, v := range map[string]any{"Frame(ADDED)": frame, "Item": &watchdecoder.Item{Object: []byte(object)}} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		all := fmt.Sprintf("%v %+v %#v %s %q %d %x ", v, v, v, v, v, v, v) + string(text)
		if !strings.HasPrefix(all, want+" "+want) || strings.Contains(all, "planted") || strings.Contains(all, fmt.Sprintf("%x", "planted")) {
			t.Errorf("got %s\nwant %s", all, want)
		}
	}
}
