package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// questions pairs ours with those of apimachinery that mean the same.
var questions = []struct {
	name   string
	ours   func(error) bool
	theirs func(error) bool
}{
	{"IsNotFound", IsNotFound, apierrors.IsNotFound},
	{"IsAlreadyExists", IsAlreadyExists, apierrors.IsAlreadyExists},
	{"IsConflict", IsConflict, apierrors.IsConflict},
	{"IsUnauthorized", IsUnauthorized, apierrors.IsUnauthorized},
	{"IsForbidden", IsForbidden, apierrors.IsForbidden},
	{"IsInvalid", IsInvalid, apierrors.IsInvalid},
	{"IsBadRequest", IsBadRequest, apierrors.IsBadRequest},
	{"IsMethodNotAllowed", IsMethodNotAllowed, apierrors.IsMethodNotSupported},
	{"IsNotAcceptable", IsNotAcceptable, apierrors.IsNotAcceptable},
	{"IsUnsupportedMediaType", IsUnsupportedMediaType, apierrors.IsUnsupportedMediaType},
	{"IsRequestEntityTooLarge", IsRequestEntityTooLarge, apierrors.IsRequestEntityTooLargeError},
	{"IsInternal", IsInternal, apierrors.IsInternalError},
	{"IsStoreReadError", IsStoreReadError, apierrors.IsStoreReadError},
	{"IsServerTimeout", IsServerTimeout, apierrors.IsServerTimeout},
	{"IsTimeout", IsTimeout, apierrors.IsTimeout},
	{"IsServiceUnavailable", IsServiceUnavailable, apierrors.IsServiceUnavailable},
	{"IsTooManyRequests", func(err error) bool { _, ok := IsTooManyRequests(err); return ok }, apierrors.IsTooManyRequests},
	{"IsGone", IsGone, func(err error) bool { // a list and a watch go on alike after both
		var s apierrors.APIStatus
		return apierrors.IsGone(err) || apierrors.IsResourceExpired(err) || errors.As(err, &s) && s.Status().Code == 410
	}},
}

var everyReason = []Reason{
	ReasonUnknown, ReasonUnauthorized, ReasonForbidden, ReasonNotFound, ReasonAlreadyExists, ReasonConflict, ReasonGone, ReasonExpired, ReasonInvalid,
	ReasonServerTimeout, ReasonStoreReadError, ReasonTimeout, ReasonTooManyRequests, ReasonBadRequest, ReasonMethodNotAllowed, ReasonNotAcceptable,
	ReasonRequestEntityTooLarge, ReasonUnsupportedMediaType, ReasonInternalError, ReasonServiceUnavailable, "Custom",
}

// Whatever reason stands beside whatever code, we answer as apimachinery does.
func TestQuestionsAnswerAsApimachinery(t *testing.T) {
	for _, reason := range everyReason {
		for _, code := range []int{0, 200, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429, 500, 503, 504, 599} {
			ours := fmt.Errorf("wrapped: %w", &Error{Code: code, Reason: reason})
			theirs := &apierrors.StatusError{ErrStatus: metav1.Status{Code: int32(code), Reason: metav1.StatusReason(reason)}}
			for _, q := range questions {
				if got, want := q.ours(ours), q.theirs(theirs); got != want {
					t.Errorf("%s of %d %q: %v, apimachinery says %v", q.name, code, reason, got, want)
				}
			}
		}
	}
}

// Other errors are none of these.
func TestQuestionsOfOtherErrors(t *testing.T) {
	for _, err := range []error{nil, errors.New("other")} {
		for _, q := range questions {
			if q.ours(err) {
				t.Errorf("%s of %v", q.name, err)
			}
		}
		if _, ok := RetryAfter(err); ok || Code(err) != 0 || IsTooLargeResourceVersion(err) {
			t.Errorf("of %v", err)
		}
	}
}

// The errors of a real server, from the functions that make them there.
func TestQuestionsOfWhatServersSend(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for _, c := range []struct {
		sent *apierrors.StatusError
		ask  func(error) bool
	}{
		{apierrors.NewNotFound(pods, "a"), IsNotFound},
		{apierrors.NewAlreadyExists(pods, "a"), IsAlreadyExists},
		{apierrors.NewConflict(pods, "a", errors.New("changed")), IsConflict},
		{apierrors.NewUnauthorized("Unauthorized"), IsUnauthorized},
		{apierrors.NewForbidden(pods, "a", errors.New("no")), IsForbidden},
		{apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "a", nil), IsInvalid},
		{apierrors.NewBadRequest("limit is negative"), IsBadRequest},
		{apierrors.NewMethodNotSupported(pods, "watch"), IsMethodNotAllowed},
		{apierrors.NewInternalError(errors.New("boom")), IsInternal},
		{apierrors.NewServerTimeout(pods, "list", 2), IsServerTimeout},
		{apierrors.NewTimeoutError("slow", 2), IsTimeout},
		{apierrors.NewResourceExpired("The resourceVersion for the provided watch is too old."), IsGone},
		{&apierrors.StatusError{ErrStatus: metav1.Status{Status: "Failure", Code: 410, Reason: metav1.StatusReasonGone}}, IsGone}, // until 1.17
		{apierrors.NewServiceUnavailable("later"), IsServiceUnavailable},
		{apierrors.NewRequestEntityTooLargeError("limit is 3145728"), IsRequestEntityTooLarge},
	} {
		wire, err := json.Marshal(typed(c.sent))
		if err != nil {
			t.Fatal(err)
		}
		e, err := Parse(wire)
		if err != nil {
			t.Errorf("%s: %v", wire, err)
			continue
		}
		if !c.ask(e) || Code(e) != int(c.sent.ErrStatus.Code) {
			t.Errorf("%s: %+v", wire, e)
		}
		for _, q := range questions {
			if got, want := q.ours(e), q.theirs(c.sent); got != want {
				t.Errorf("%s of %s: %v, apimachinery says %v", q.name, wire, got, want)
			}
		}
	}
}

// typed is a Status as servers write it, with kind and version.
func typed(e *apierrors.StatusError) metav1.Status {
	s := e.ErrStatus
	s.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return s
}

// Servers say it in a cause since 1.19, with the type since 1.20, and in the message alone before that.
func TestTooLargeResourceVersion(t *testing.T) {
	for _, c := range []struct {
		wire string
		want bool
	}{
		{`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"Timeout: Too large resource version: 9, current: 5","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}`, true},
		{`{"kind":"Status","apiVersion":"v1","reason":"Timeout","details":{"causes":[{"message":"Too large resource version"}]},"code":504}`, true},
		{`{"kind":"Status","apiVersion":"v1","message":"Timeout: Too large resource version: 9, current: 5","reason":"Timeout","code":504}`, true},
		{`{"kind":"Status","apiVersion":"v1","message":"Too large resource version: 9, current: 5","code":504}`, true},
		{`{"kind":"Status","apiVersion":"v1","message":"Too large resource version: 9","reason":"Invalid","code":422}`, false},
		{`{"kind":"Status","apiVersion":"v1","message":"request timed out","reason":"Timeout","details":{"causes":[{"reason":"FieldValueInvalid"}]},"code":504}`, false},
	} {
		e, err := Parse([]byte(c.wire))
		if err != nil || IsTooLargeResourceVersion(e) != c.want {
			t.Errorf("%s: not %v (%v)", c.wire, c.want, err)
		}
	}
}

func TestRetryAfterOfWrappedErrors(t *testing.T) {
	err := fmt.Errorf("list: %w", &Error{Code: 429, RetryAfter: 3 * time.Second, HasRetryAfter: true})
	if d, ok := RetryAfter(err); d != 3*time.Second || !ok {
		t.Errorf("%v, %v", d, ok)
	}
	if d, ok := IsTooManyRequests(err); d != 3*time.Second || !ok {
		t.Errorf("%v, %v", d, ok)
	}
	if d, ok := IsTooManyRequests(&Error{Code: 429}); d != 0 || !ok {
		t.Errorf("without delay: %v, %v", d, ok)
	}
	if _, ok := RetryAfter(&Error{Code: 429}); ok {
		t.Error("a delay that nobody named")
	}
}

// A code alone means what it means to apimachinery, where that one has an opinion.
func TestReasonsOfCodesAreThoseOfApimachinery(t *testing.T) {
	for code := 400; code < 600; code++ {
		ours := reasonForCode(code)
		theirs := Reason(apierrors.NewGenericServerResponse(code, "GET", schema.GroupResource{}, "", "", 0, true).ErrStatus.Reason)
		switch code {
		case 410, 413: // they ask the code
			theirs = map[int]Reason{410: ReasonGone, 413: ReasonRequestEntityTooLarge}[code]
		default:
			if code > 500 && theirs == ReasonInternalError { // of a proxy, most likely
				theirs = ReasonUnknown
			}
		}
		if ours != theirs {
			t.Errorf("%d: %q, apimachinery says %q", code, ours, theirs)
		}
	}
}
