package cluster

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// The event that ends a history may stand in the middle of a message, and an
// earlier history's end in the middle of a later one.
func TestHistoryEndsAtItsOwnMark(t *testing.T) {
	event := func(kind, key string, created, modified int) string {
		return fmt.Sprintf(`{"type":%q,"kv":{"key":%q,"create_revision":"%d","mod_revision":"%d"}}`, kind, base64.StdEncoding.EncodeToString([]byte(key)), created, modified)
	}
	stream := `{"result":{"created":true}}{"result":{"events":[` + strings.Join([]string{
		event("PUT", "/registry/pods/ns/a", 2, 2), event("PUT", sentinel, 3, 3), event("PUT", "/registry/nodes/n", 4, 4),
	}, ",") + `]}}{"result":{"events":[` + strings.Join([]string{
		event("PUT", "/registry/pods/ns/a", 2, 5), event("DELETE", "/registry/pods/ns/a", 0, 6), event("PUT", sentinel, 3, 7), event("PUT", "/registry/pods/ns/b", 8, 8),
	}, ",") + `]}}`
	all, err := readHistory(strings.NewReader(stream), "/registry/pods/", "7")
	if err != nil {
		t.Fatal(err)
	}
	want := "[{ADDED ns a  2} {MODIFIED ns a  5} {DELETED ns a  6}]"
	if got := fmt.Sprint(all); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := readHistory(strings.NewReader(stream), "/registry/pods/", "9"); err == nil {
		t.Error("a stream that ends before its mark is no history")
	}
	if _, err := readHistory(strings.NewReader(`{"result":{"canceled":true,"cancel_reason":"compacted"}}`), "", "1"); err == nil || !strings.Contains(err.Error(), "compacted") {
		t.Errorf("%v, want the reason why the watch was cancelled", err)
	}
}
