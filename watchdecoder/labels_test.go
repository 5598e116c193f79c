package watchdecoder_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

func labelsOf(raw string) map[string]string {
	labels := map[string]string{}
	for key, value := range watchdecoder.Labels([]byte(raw)) {
		labels[string(key)] = string(value)
	}
	return labels
}

func TestLabels(t *testing.T) {
	for raw, want := range map[string]map[string]string{
		`{"metadata":{"labels":{"a":"b","c/d":""}}}`: {"a": "b", "c/d": ""},
		`{"labels":{"x":"y"},"spec":{"metadata":{"labels":{"x":"y"}}},"metadata":{"annotations":{"labels":"x"},"labels":{"a":"b"}}}`: {"a": "b"},
		" { \"metadata\" : { \"labels\" : { \"a\" : \"b\" , \"c\" : \"d\" } } } ":                                                    {"a": "b", "c": "d"},
		`{"m\u0065tadata":{"l\u0061bels":{"\u0061":"\ud83d\ude00"}}}`:                                                                {"a": "\U0001f600"},
		`{"metadata":{"labels":{"a":1,"b":null,"c":{"x":"y"},"d":"e"}}}`:                                                             {"d": "e"},
		`{"metadata":{"labels":null}}`: {}, `{"metadata":{"labels":[]}}`: {}, `{"metadata":{"labels":{}}}`: {}, `{"metadata":{}}`: {}, `{"metadata":null}`: {}, `{}`: {}, `[]`: {}, ``: {},
		`{"metadata":{"labels":{"a":"b","c`: {"a": "b"}, `{"metadata":{"labels":{"a":"b" "c":"d"}}}`: {"a": "b"}, `{"metadata":{"labels":{"a":"\q","b":"c"}}}`: {"b": "c"},
		`{"a":{]},"metadata":{"labels":{"a":"b"}}}`: {}, `{"metadata":{"labels":{"a":,"c":"d"}}}`: {},
	} {
		if diff := cmp.Diff(want, labelsOf(raw)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
}

func TestLabelsAreThoseOfEncodingJSON(t *testing.T) {
	for _, name := range []string{"pod.json", "plan.json"} {
		raw := template(t, name)
		var want struct {
			Metadata struct{ Labels map[string]string }
		}
		if err := json.Unmarshal(raw, &want); err != nil || len(want.Metadata.Labels) == 0 {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Metadata.Labels, labelsOf(string(raw))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestLabelsStopWhenToldTo(t *testing.T) {
	first := maps.Collect(func(yield func(string, string) bool) {
		for key, value := range watchdecoder.Labels([]byte(`{"metadata":{"labels":{"a":"b","c":"d"}}}`)) {
			yield(string(key), string(value))
			break
		}
	})
	if diff := cmp.Diff(map[string]string{"a": "b"}, first); diff != "" {
		t.Error(diff)
	}
}

func TestLabelsDoNotAllocate(t *testing.T) {
	raw := template(t, "plan.json")
	if n := testing.AllocsPerRun(100, func() {
		for range watchdecoder.Labels(raw) {
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
