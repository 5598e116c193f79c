// Package status holds rawwatch's reading of failures to client-go's: one
// server answers both clients, and both are asked the same questions.
package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
	clientrest "k8s.io/client-go/rest"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
)

// answers are what both clients are asked; a delay of -1 means none was named.
type answers struct {
	Code                                                                    int
	Gone, NotFound, Conflict, AlreadyExists, Forbidden, Unauthorized        bool
	Invalid, BadRequest, MethodNotAllowed, NotAcceptable, UnsupportedMedia  bool
	Internal, ServerTimeout, Timeout, Unavailable, EntityTooLarge, TooLarge bool
	TooMany, StoreRead                                                      bool
	Delay                                                                   time.Duration
}

func askClientGo(err error) answers {
	a := answers{
		Gone:     apierrors.IsGone(err) || apierrors.IsResourceExpired(err),
		NotFound: apierrors.IsNotFound(err), Conflict: apierrors.IsConflict(err), AlreadyExists: apierrors.IsAlreadyExists(err),
		Forbidden: apierrors.IsForbidden(err), Unauthorized: apierrors.IsUnauthorized(err), Invalid: apierrors.IsInvalid(err),
		BadRequest: apierrors.IsBadRequest(err), MethodNotAllowed: apierrors.IsMethodNotSupported(err), NotAcceptable: apierrors.IsNotAcceptable(err),
		UnsupportedMedia: apierrors.IsUnsupportedMediaType(err), Internal: apierrors.IsInternalError(err), ServerTimeout: apierrors.IsServerTimeout(err),
		Timeout: apierrors.IsTimeout(err), Unavailable: apierrors.IsServiceUnavailable(err), EntityTooLarge: apierrors.IsRequestEntityTooLargeError(err),
		TooLarge: apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge), TooMany: apierrors.IsTooManyRequests(err),
		StoreRead: apierrors.IsStoreReadError(err),
	}
	if s := apierrors.APIStatus(nil); errors.As(err, &s) {
		a.Code = int(s.Status().Code)
	}
	a.Delay = -1
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		a.Delay = time.Duration(seconds) * time.Second
	}
	return a
}

func ask(err error) answers {
	_, tooMany := status.IsTooManyRequests(err)
	a := answers{
		Gone: status.IsGone(err), NotFound: status.IsNotFound(err), Conflict: status.IsConflict(err), AlreadyExists: status.IsAlreadyExists(err),
		Forbidden: status.IsForbidden(err), Unauthorized: status.IsUnauthorized(err), Invalid: status.IsInvalid(err), BadRequest: status.IsBadRequest(err),
		MethodNotAllowed: status.IsMethodNotAllowed(err), NotAcceptable: status.IsNotAcceptable(err), UnsupportedMedia: status.IsUnsupportedMediaType(err),
		Internal: status.IsInternal(err), ServerTimeout: status.IsServerTimeout(err), Timeout: status.IsTimeout(err), Unavailable: status.IsServiceUnavailable(err),
		EntityTooLarge: status.IsRequestEntityTooLarge(err), TooLarge: status.IsTooLargeResourceVersion(err), TooMany: tooMany,
		StoreRead: status.IsStoreReadError(err), Code: status.Code(err), Delay: -1,
	}
	if delay, ok := status.RetryAfter(err); ok {
		a.Delay = delay
	}
	return a
}

// reply is an answer of the server both clients speak to.
type reply struct {
	code        int
	contentType string
	body        string
	retryAfter  string
}

func of(s *apierrors.StatusError) reply {
	s.ErrStatus.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	body, err := json.Marshal(s.ErrStatus)
	if err != nil {
		panic(err)
	}
	r := reply{code: int(s.ErrStatus.Code), contentType: "application/json", body: string(body)}
	if d := s.ErrStatus.Details; d != nil && d.RetryAfterSeconds > 0 {
		r.retryAfter = fmt.Sprint(d.RetryAfterSeconds) // as kube-apiserver does
	}
	return r
}

func replies() map[string]reply {
	pods := schema.GroupResource{Resource: "pods"}
	all := map[string]reply{
		"not found":      of(apierrors.NewNotFound(schema.GroupResource{Group: "apps", Resource: "deployments"}, "d")),
		"already exists": of(apierrors.NewAlreadyExists(pods, "p")),
		"generated name": of(apierrors.NewGenerateNameConflict(pods, "p", 3)),
		"unauthorized":   of(apierrors.NewUnauthorized("who are you")),
		"forbidden":      of(apierrors.NewForbidden(pods, "p", errors.New("no"))),
		"conflict":       of(apierrors.NewConflict(pods, "p", errors.New("changed"))),
		"apply conflict": of(apierrors.NewApplyConflict([]metav1.StatusCause{{Type: metav1.CauseTypeFieldManagerConflict, Message: "m", Field: "f"}}, "conflicts")),
		//lint:ignore SA1019 servers of before send it
		"gone":               of(apierrors.NewGone("gone")),
		"expired":            of(apierrors.NewResourceExpired("too old resource version: 1 (2)")),
		"invalid":            of(apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "p", field.ErrorList{field.Required(field.NewPath("spec"), "needed")})),
		"bad request":        of(apierrors.NewBadRequest("what")),
		"too many":           of(apierrors.NewTooManyRequests("slow down", 7)),
		"too many, no delay": of(apierrors.NewTooManyRequestsError("slow down")),
		"unavailable":        of(apierrors.NewServiceUnavailable("not now")),
		"method":             of(apierrors.NewMethodNotSupported(pods, "put")),
		"server timeout":     of(apierrors.NewServerTimeout(pods, "list", 3)),
		"internal":           of(apierrors.NewInternalError(errors.New("oops"))),
		"timeout":            of(apierrors.NewTimeoutError("too long", 5)),
		"entity too large":   of(apierrors.NewRequestEntityTooLargeError("big")),
		"corrupt object":     of(apierrors.NewGenericServerResponse(500, "get", pods, "p", "storage", 0, true)),
		"reason alone":       {500, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","message":"m"}`, ""},
		"unknown reason":     {404, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Strange","code":404}`, ""},
		"no reason":          {409, "application/json", `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","code":409}`, ""},
		"a conflict's 409":   {409, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"AlreadyExists","code":409}`, ""},
	}
	tooLarge := apierrors.NewTimeoutError("Too large resource version: 9, current: 1", 1)
	tooLarge.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	all["too large version"] = of(tooLarge)
	uid := apierrors.NewConflict(pods, "p", errors.New("uid"))
	uid.ErrStatus.Details.UID = types.UID("u")
	all["conflict with uid"] = of(uid)
	// What proxies and other handlers say, for each code.
	for _, code := range []int{400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429, 500, 501, 502, 503, 504} {
		all[fmt.Sprint(code, " empty")] = reply{code, "", "", ""}
		all[fmt.Sprint(code, " text")] = reply{code, "text/plain", "some words\n", ""}
		all[fmt.Sprint(code, " html")] = reply{code, "text/html; charset=utf-8", "<html><title>Proxy</title></html>", ""}
		all[fmt.Sprint(code, " other JSON")] = reply{code, "application/json", `{"error":"x"}`, ""}
		all[fmt.Sprint(code, " with a delay")] = reply{code, "text/plain", "later", "11"}
	}
	return all
}

func TestFailuresAnswerAsClientGos(t *testing.T) {
	for name, r := range replies() {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if r.contentType != "" {
					w.Header().Set("Content-Type", r.contentType)
				}
				if r.retryAfter != "" {
					w.Header().Set("Retry-After", r.retryAfter)
				}
				w.WriteHeader(r.code)
				fmt.Fprint(w, r.body)
			}))
			defer server.Close()
			wantErr, gotErr := clientGoError(t, server.URL), rawwatchError(t, server.URL)
			want, got := askClientGo(wantErr), ask(gotErr)
			if reason := accepted(name); reason != "" {
				if cmp.Equal(want, got) {
					t.Errorf("this accepted difference is gone, strike it: %s", reason)
				}
				return
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("client-go: %v\nrawwatch: %v\n(- client-go, + rawwatch)\n%s", wantErr, gotErr, d)
			}
		})
	}
}

// accepted says why an answer differs on purpose, "" where it must not.
func accepted(name string) string {
	switch {
	case strings.HasPrefix(name, "501 "), strings.HasPrefix(name, "502 "):
		return "client-go calls everything from 500 on an internal error that has no word of its own; a gateway's trouble is not the server's"
	case name == "reason alone":
		return "a Status without a code takes that of its response"
	}
	return ""
}

// What a Status says is handed on whole: the error marshals to the JSON that
// metav1 has for it.
func TestStatusMarshalsAsMetav1(t *testing.T) {
	for name, r := range replies() {
		parsed, err := status.Parse([]byte(r.body))
		if err != nil {
			continue // no Status
		}
		var want, got metav1.Status
		if err := json.Unmarshal([]byte(r.body), &want); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(parsed)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (- sent, + marshalled)\n%s", name, d)
		}
	}
}

func clientGoError(t *testing.T, url string) error {
	config := &clientrest.Config{Host: url, APIPath: "/api", ContentConfig: clientrest.ContentConfig{
		GroupVersion: &schema.GroupVersion{Version: "v1"}, NegotiatedSerializer: scheme.Codecs.WithoutConversion()}}
	client, err := clientrest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Client.CloseIdleConnections()
	err = client.Get().Resource("pods").MaxRetries(0).Do(context.Background()).Error()
	if err == nil {
		t.Fatal("no error")
	}
	return err
}

func rawwatchError(t *testing.T, url string) error {
	client, err := rest.NewClient(rest.Config{Server: url})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Do(context.Background(), rest.Request{Path: rest.Pods.Path("", "")})
	if err == nil {
		t.Fatal("no error")
	}
	return err
}
