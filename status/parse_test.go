package status

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rawwatch/rawwatch/internal/wiretest"
)

const forbiddenPods = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods is forbidden: User \"x\" cannot list resource \"pods\" in API group \"\" in the namespace \"default\"","reason":"Forbidden","details":{"kind":"pods"},"code":403}` + "\n"

func TestParse(t *testing.T) {
	e, err := Parse([]byte(`{"kind":"Status","apiVersion":"v1","metadata":{"resourceVersion":"1"},"status":"Failure","message":"m","reason":"Invalid",
		"details":{"name":"n","group":"g","kind":"k","uid":"u","causes":[{"reason":"FieldValueRequired","message":"c","field":"spec.a"},{}],"retryAfterSeconds":7},
		"code":422,"unknown":[1]}`))
	want := &Error{
		Code: 422, Reason: ReasonInvalid, Message: "m", HasStatus: true,
		Details: &Details{
			Name: "n", Group: "g", Kind: "k", UID: "u",
			Causes: []Cause{{Type: CauseFieldValueRequired, Message: "c", Field: "spec.a"}, {}}, RetryAfterSeconds: 7,
		},
		RetryAfter: 7 * time.Second, HasRetryAfter: true,
	}
	if diff := cmp.Diff(want, e); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// What is written is what metav1.Status writes, byte for byte, and both read it back.
func TestJSONIsThatOfMetav1Status(t *testing.T) {
	for _, s := range []metav1.Status{
		{},
		{Message: "<b>&\u2028\x00", Reason: "Custom", Code: 599},
		{Reason: metav1.StatusReasonNotFound, Code: 404, Details: &metav1.StatusDetails{}},
		{Reason: metav1.StatusReasonInvalid, Code: 422, Details: &metav1.StatusDetails{
			Name: "n", Group: "g", Kind: "k", UID: "u", RetryAfterSeconds: 1<<31 - 1,
			Causes: []metav1.StatusCause{{}, {Type: metav1.CauseTypeFieldValueInvalid, Message: "m", Field: "f"}},
		}},
		{Code: -5, Details: &metav1.StatusDetails{RetryAfterSeconds: -5}},
	} {
		s.TypeMeta, s.Status = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, metav1.StatusFailure
		theirs, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Parse(theirs)
		if err != nil {
			t.Fatalf("%s: %v", theirs, err)
		}
		ours, err := json.Marshal(e)
		if err != nil || string(ours) != string(theirs) {
			t.Errorf("%v\n got %s\nwant %s", err, ours, theirs)
		}
		var back metav1.Status
		if err := json.Unmarshal(ours, &back); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(s, back); diff != "" {
			t.Error(diff)
		}
	}
}

// A delay that came in a header is not lost in JSON; a part of a second is one.
func TestJSONHasTheDelayOfTheHeader(t *testing.T) {
	for _, c := range []struct {
		err  Error
		want string
	}{
		{Error{Code: 429, RetryAfter: 1500 * time.Millisecond, HasRetryAfter: true}, `"details":{"retryAfterSeconds":2}`},
		{Error{Code: 429, RetryAfter: time.Second, HasRetryAfter: true, Details: &Details{Name: "n"}}, `"details":{"name":"n","retryAfterSeconds":1}`},
		{Error{Code: 429, RetryAfter: time.Second, HasRetryAfter: true, Details: &Details{RetryAfterSeconds: 9}}, `"details":{"retryAfterSeconds":9}`},
		{Error{Code: 429, HasRetryAfter: true}, `"status":"Failure","code":429`},
	} {
		if got, err := json.Marshal(&c.err); err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%v: %s lacks %s", err, got, c.want)
		}
	}
}

func TestParseRefusesWhatIsNoFailureStatus(t *testing.T) {
	for _, c := range []struct {
		name, in, rule string
		offset         int64
	}{
		{"nothing", ``, "malformed JSON", 0},
		{"text", `404 page not found`, "malformed JSON", 5},
		{"an array", `[]`, "not a JSON object", -1},
		{"null", `null`, "not a JSON object", -1},
		{"a string", `"Status"`, "not a JSON object", -1},
		{"cut", `{"kind":"Status"`, "malformed JSON", 16},
		{"bytes after it", `{"kind":"Status"} x`, "malformed JSON", 19},
		{"two of them", `{"kind":"Status"}{"kind":"Status"}`, "malformed JSON", 18},
		{"another kind", `{"kind":"PodList","apiVersion":"v1"}`, "kind is not Status", -1},
		{"no kind", `{"apiVersion":"v1","code":410}`, "kind is not Status", -1},
		{"keys in another case", `{"Kind":"Status","apiVersion":"v1"}`, "kind is not Status", -1},
		{"a Status of another API", `{"kind":"Status","apiVersion":"example.com/v1"}`, "a kind Status of another API", -1},
		{"success", `{"kind":"Status","apiVersion":"v1","status":"Success"}`, "a Status of a success", -1},
		{"kind is a number", `{"kind":1}`, "the field kind has a type of its own", -1},
		{"code is a string", `{"kind":"Status","code":"410"}`, "the field code has a type of its own", -1},
		{"code is a fraction", `{"kind":"Status","code":410.5}`, "the field code has a type of its own", -1},
		{"code of 64 bits", `{"kind":"Status","code":4294967706}`, "the field code has a type of its own", -1},
		{"message is an object", `{"kind":"Status","message":{}}`, "the field message has a type of its own", -1},
		{"details is a string", `{"kind":"Status","details":"x"}`, "the field details has a type of its own", -1},
		{"causes is an object", `{"kind":"Status","details":{"causes":{}}}`, "the field causes has a type of its own", -1},
		{"a cause is a string", `{"kind":"Status","details":{"causes":["x"]}}`, "the field causes has a type of its own", -1},
		{"a field of a cause", `{"kind":"Status","details":{"causes":[{"field":1}]}}`, "the field field has a type of its own", -1},
	} {
		e, err := Parse([]byte(c.in))
		var bad *ParseError
		if e != nil || !errors.As(err, &bad) || !strings.HasPrefix(bad.Rule, c.rule) || bad.Offset != c.offset {
			t.Errorf("%s: %+v, %v", c.name, e, err)
		}
	}
}

// A Status that is cut is none, wherever.
func TestParseRefusesEveryCut(t *testing.T) {
	whole := []byte(strings.TrimSpace(forbiddenPods))
	for at := range wiretest.EveryCut(whole) {
		e, err := Parse(whole[:at])
		if bad := new(ParseError); e != nil || !errors.As(err, &bad) {
			t.Fatalf("cut at %d: %+v, %v", at, e, err)
		}
	}
}

func TestParseErrorsRepeatNothingOfTheObject(t *testing.T) {
	for _, in := range []string{`{"kind":"Status","message":["c2VjcmV0"]}`, `{"kind":"Status","code":"c2VjcmV0"}`, `{"kind":"c2VjcmV0"}`, `c2VjcmV0`} {
		_, err := Parse([]byte(in))
		if err == nil || strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("%s: %v", in, err)
		}
	}
	if _, err := Parse(nil); err == nil || err.Error() != "not a Status: malformed JSON (RFC 8259), at byte 0" {
		t.Errorf("%v", err)
	}
	_, err := Parse([]byte(`{"a":}`))
	if err.Error() != "not a Status: malformed JSON (RFC 8259), at byte 6" || errors.Unwrap(err) == nil {
		t.Errorf("%v", err)
	}
}

func TestParseSharesNoMemory(t *testing.T) {
	in := []byte(forbiddenPods)
	e, err := Parse(in)
	if err != nil {
		t.Fatal(err)
	}
	before := e.Error()
	clear(in)
	if e.Error() != before {
		t.Error("the error changed with its input")
	}
}

// Older servers and other implementations leave fields out, or null.
func TestParseTakesWhatIsThere(t *testing.T) {
	for in, want := range map[string]Error{
		`{"kind":"Status"}`: {HasStatus: true},
		` {"kind":"Status","apiVersion":"meta.k8s.io/v1","reason":"Expired"} `:                    {Reason: ReasonExpired, HasStatus: true},
		`{"kind":"Status","status":null,"message":null,"reason":null,"details":null,"code":null}`: {HasStatus: true},
		`{"kind":"Status","code":410,"Code":200,"details":{"causes":null}}`:                       {Code: 410, HasStatus: true, Details: &Details{}},
		`{"kind":"Status","details":{"retryAfterSeconds":-1}}`:                                    {HasStatus: true, Details: &Details{RetryAfterSeconds: -1}},
		`{"kind":"Status","details":{"retryAfterSeconds":2000000000}}`: {
			HasStatus: true, Details: &Details{RetryAfterSeconds: 2_000_000_000}, RetryAfter: MaxRetryAfter, HasRetryAfter: true,
		},
	} {
		e, err := Parse([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if diff := cmp.Diff(want, *e); diff != "" {
			t.Errorf("%s:\n%s", in, diff)
		}
	}
}

// What an ERROR event may cost is bounded: causes of nothing take many times their bytes.
func TestParseRefusesAStatusOfMoreThanAMebibyte(t *testing.T) {
	status := []byte(`{"kind":"Status","message":"` + strings.Repeat("a", maxBytes) + `"}`)
	if _, err := Parse(status); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("%v", err)
	}
	status = append(status[:maxBytes-2], `"}`...)
	if e, err := Parse(status); err != nil || len(e.Message) != maxBytes-2-len(`{"kind":"Status","message":"`) {
		t.Errorf("of 1 MiB: %v", err)
	}
}
