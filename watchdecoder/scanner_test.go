package watchdecoder_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// A number may begin with any digit and hold any, also where it is passed over.
func TestNumbersHaveTenDigits(t *testing.T) {
	body := `{"a":9,"b":-90.19e+91,"metadata":{"remainingItemCount":9876543210},"items":[]}`
	got, meta := listOutcomes(strings.NewReader(body), watchdecoder.Options{})
	if diff := cmp.Diff([]string{"EOF"}, summarizeList(got)); diff != "" || meta.RemainingItemCount != 9876543210 {
		t.Errorf("%d remain (-want +got):\n%s", meta.RemainingItemCount, diff)
	}
}

// The longest key is known also if each of its letters is an escape (RFC 8259 section 7).
func TestLongestKeyMayBeWrittenInEscapes(t *testing.T) {
	var key strings.Builder
	for _, letter := range "remainingItemCount" {
		fmt.Fprintf(&key, `\u%04x`, letter)
	}
	_, meta := listOutcomes(strings.NewReader(`{"metadata":{"`+key.String()+`":12},"items":[]}`), watchdecoder.Options{})
	if meta.RemainingItemCount != 12 {
		t.Errorf("%d remain, want 12", meta.RemainingItemCount)
	}
}

// A breach beside the items is reported at the quote of the text that breaks the rule.
func TestBreachBesideTheItemsIsReportedWhereItBegins(t *testing.T) {
	long := strings.Repeat("x", 64<<10+1)
	for _, body := range []string{
		`{"kind":"PodList",!"kind":"PodList","items":[]}`,
		`{"metadata":{"resourceVersion":"5",!"resourceVersion":"5"},"items":[]}`,
		`{"metadata":{"continue":!"` + long + `"},"items":[]}`,
		`{"metadata":{},!"` + long + `":1,"items":[]}`,
	} {
		at := strings.IndexByte(body, '!')
		body = body[:at] + body[at+1:]
		_, err := watchdecoder.NewListDecoder(strings.NewReader(body), watchdecoder.Options{}).Next()
		bad, ok := errors.AsType[*watchdecoder.FrameError](err)
		if !ok || bad.Offset != int64(at) {
			t.Errorf("%.60s: %v, want offset %d", body, err, at)
		}
	}
}

// The bound on a list's text is of each, and 64 KiB are still taken.
func TestListTextIsBoundedOneByOne(t *testing.T) {
	text := strings.Repeat("x", 64<<10)
	for body, want := range map[string]string{
		`{"metadata":{"continue":"` + text + `","resourceVersion":"5"},"kind":"PodList","items":[]}`: "EOF",
		`{"` + text + `":1,"kind":"PodList","items":[]}`:                                             "EOF",
		`{"metadata":{"continue":"` + text + `x"},"items":[]}`:                                       "end " + watchdecoder.RuleListText,
		`{"` + text + `x":1,"items":[]}`:                                                             "end " + watchdecoder.RuleListText,
	} {
		got, _ := listOutcomes(strings.NewReader(body), watchdecoder.Options{})
		if diff := cmp.Diff([]string{want}, summarizeList(got)); diff != "" {
			t.Errorf("%.30s: (-want +got):\n%s", body, diff)
		}
	}
}
