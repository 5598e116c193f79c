package listwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// lines runs an iteration to its end and returns it with its error.
func lines(events iter.Seq2[*Event, error]) (got []string, err error) {
	for e, failure := range events {
		if failure != nil {
			return got, failure
		}
		got = append(got, line(e, nil))
	}
	return got, nil
}

func wantLines(t *testing.T, why string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -want +got\n%s", why, diff)
	}
}

func TestListYieldsEveryPage(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		for i := range 5 {
			k.put(fmt.Sprint("o", i), "1")
		}
		o := k.options()
		o.PageSize = 2
		got, err := lines(List(k.t.Context(), k.client, o))
		wantLines(t, "five in three pages", got, "ReplaceBegin ()", "ReplaceItem o0@100", "ReplaceItem o1@101", "ReplaceItem o2@102", "ReplaceItem o3@103", "ReplaceItem o4@104", "ReplaceEnd at 104")
		if err != nil {
			t.Error(err)
		}
		requests := k.api.Requests()
		if len(requests) != 3 || requests[0].Query.Encode() != "limit=2" || requests[1].Query.Get("limit") != "2" || requests[1].Query.Get("continue") == "" {
			t.Errorf("%v", requests)
		}
	})
}

func TestListSendsWhatItIsGiven(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		o := k.options()
		o.List = rest.ListOptions{ResourceVersion: "100", ResourceVersionMatch: rest.MatchExact, LabelSelector: "!app"}
		o.PageSize = -1
		if _, err := lines(List(k.t.Context(), k.client, o)); err != nil {
			t.Error(err)
		}
		k.wantRequests("nothing added", "list labelSelector=%21app&resourceVersion=100&resourceVersionMatch=Exact")
	})
}

func TestListOfAnExpiredTokenBecomesTheWholeList(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		for i := range 3 {
			k.put(fmt.Sprint("o", i), "1")
		}
		o := k.options()
		o.PageSize = 2
		var got []string
		for e, err := range List(k.t.Context(), k.client, o) {
			if got = append(got, line(e, err)); len(got) == 2 {
				k.delete("o0")
				k.api.Compact()
			}
		}
		wantLines(t, "pages of two versions are not mixed", got, "ReplaceBegin ()", "ReplaceItem o0@100", "ReplaceItem o1@101", "ReplaceAbort (Expired)",
			"ReplaceBegin ()", "ReplaceItem o1@101", "ReplaceItem o2@102", "ReplaceEnd at 103")
	})
}

// A list that is not complete ends with an error, and has no ReplaceEnd.
func TestListEndsWithATypedError(t *testing.T) {
	for _, test := range []struct {
		why   string
		serve http.HandlerFunc
		is    func(error) bool
	}{
		{"a login page in place of the API", page, func(err error) bool {
			e, ok := errors.AsType[*rest.Error](err)
			return ok && strings.Contains(e.Hint(), "login page") && classify(err).reason == ReasonContent
		}},
		{"a Status in place of a list", respond(200, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`), status.IsForbidden},
		{"a Table", respond(200, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"5"},"columnDefinitions":[],"rows":[]}`), rule(watchdecoder.RuleTable)},
		{"no list", respond(200, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"5"}}`), rule(watchdecoder.RuleNotList)},
		{"malformed", respond(200, `{"kind":"ConfigMapList","apiVersion":"v1","items":[}`), rule(watchdecoder.RuleSyntax)},
		{"no version", respond(200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]}`), func(err error) bool {
			_, ok := errors.AsType[*VersionError](err)
			return ok && err.Error() == "listwatch: a list without resourceVersion"
		}},
		{"a token that leads nowhere", respond(200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"x"},"items":[]}`), func(err error) bool {
			e, ok := errors.AsType[*PageError](err)
			return ok && e.Page == 2
		}},
		{"a refusal", refuse(403, "Forbidden"), status.IsForbidden},
		{"a body that is cut", func(w http.ResponseWriter, r *http.Request) {
			respond(200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[`)(w, r)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
	} {
		t.Run(test.why, func(t *testing.T) {
			inBubble(t, fakeapi.Options{}, func(k *kit) {
				k.api.Intercept(func(w http.ResponseWriter, r *http.Request) bool { test.serve(w, r); return true })
				got, err := lines(List(k.t.Context(), k.client, k.options()))
				if err == nil || !test.is(err) {
					t.Errorf("%T %v", err, err)
				}
				for _, l := range got {
					if strings.HasPrefix(l, "ReplaceEnd") {
						t.Error(got)
					}
				}
			})
		})
	}
}

func page(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, "<html>please log in</html>")
}

func rule(want string) func(error) bool {
	return func(err error) bool {
		e, ok := errors.AsType[*watchdecoder.FrameError](err)
		return ok && e.Rule == want
	}
}

func TestListKeepsItsLimits(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		for i := range 5 {
			k.put(fmt.Sprint("o", i), strings.Repeat("x", 200))
		}
		for why, set := range map[string]func(*Options){
			"MaxObjects": func(o *Options) { o.MaxObjects = 4 },
			"MaxBytes":   func(o *Options) { o.MaxBytes = 1000; o.PageSize = 2 }, // over all pages
			"MaxPages":   func(o *Options) { o.MaxPages = 2; o.PageSize = 2 },
		} {
			o := k.options()
			set(&o)
			if _, err := lines(List(k.t.Context(), k.client, o)); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %v", why, err)
			}
			o = k.options()
			set(&o)
			o.MaxObjects, o.MaxBytes, o.MaxPages = o.MaxObjects/4*5, o.MaxBytes*10, o.MaxPages/2*3 // what there is, or no bound
			if _, err := lines(List(k.t.Context(), k.client, o)); err != nil {
				t.Errorf("%s, not reached: %v", why, err)
			}
		}
	})
}

func TestReflectorKeepsTheLimitOfBytes(t *testing.T) {
	for _, mode := range []WatchListMode{WatchListFirst, WatchListOff} {
		inBubble(t, fakeapi.Options{}, func(k *kit) {
			for i := range 5 {
				k.put(fmt.Sprint("o", i), strings.Repeat("x", 200))
			}
			o := k.options()
			o.MaxBytes, o.FailUntilSynced, o.PageSize, o.ConsistentList, o.WatchList = 1000, true, 2, true, mode
			_, err := lines(New(k.client, o).Events(k.t.Context()))
			if e, ok := errors.AsType[*LimitError](err); !ok || e.Value != 1000 {
				t.Error(err)
			}
			o.MaxBytes, o.FailUntilSynced = 10_000, false
			k.reflect(o)
			pass(time.Second)
			k.wantStatus("synced", func(s Status) any { return s.Synced }, true)
			for i := range 50 {
				k.put(fmt.Sprint("o", i), strings.Repeat("y", 300))
			}
			pass(time.Second)
			k.wantStatus("a watch is no list: it has no such limit", relists, map[string]uint64(nil))
		})
	}
}

func TestListLosesABadItemOnly(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.answer(anything, respond(200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[`+
			`{"metadata":{"name":"a","namespace":"default","resourceVersion":"3"}},{"metadata":{"namespace":"default","resourceVersion":"4"}},`+
			`{"metadata":{"name":"c","namespace":"default","resourceVersion":"5"}}]}`))
		got, err := lines(List(k.t.Context(), k.client, k.options()))
		wantLines(t, "the others come", got, "ReplaceBegin ()", "ReplaceItem a@3", "Problem (an object without name)", "ReplaceItem c@5", "ReplaceEnd at 5")
		if err != nil {
			t.Error(err)
		}
	})
}

func TestListPagesAreOfOneKind(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.answer(anything, respond(200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"x"},"items":[{"metadata":{"name":"a","resourceVersion":"3"}}]}`))
		k.answer(anything, respond(200, `{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"b","resourceVersion":"3"},"kind":"Secret"}]}`))
		got, _ := lines(List(k.t.Context(), k.client, k.options()))
		for _, l := range got {
			if l == "ReplaceItem b@3" {
				t.Error("a secret among config maps")
			}
		}
	})
}

func TestListCanBeLeftAndCancelled(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "1")
		for n := range 3 {
			seen := 0
			for range List(k.t.Context(), k.client, k.options()) {
				if seen++; seen > n {
					break
				}
			}
		}
		ctx, cancel := context.WithCancelCause(k.t.Context())
		reason := errors.New("enough")
		k.answer(anything, hang)
		go func() {
			synctest.Wait()
			cancel(reason)
		}()
		if _, err := lines(List(ctx, k.client, k.options())); !errors.Is(err, reason) || !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if s := k.client.Stats(); s.InUse != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestGzipAndMetadataAreAskedFor(t *testing.T) {
	inBubble(t, fakeapi.Options{CompressOver: 1}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		o := k.options()
		o.Gzip, o.Accept = true, watchdecoder.AcceptMetadata
		got, err := lines(List(k.t.Context(), k.client, o))
		wantLines(t, "the list", got, "ReplaceBegin ()", "ReplaceItem a@100", "ReplaceEnd at 100")
		if err != nil {
			t.Error(err)
		}
		k.reflect(o)
		pass(130 * time.Second)
		k.put("a", "2")
		k.api.ExpireWatches()
		pass(2 * time.Second)
		k.put("a", "3")
		k.want("the same from a watch-list, bookmarks included", "ReplaceBegin (Start)", "ReplaceItem a@100", "ReplaceEnd at 100", "Bookmark at 100", "Bookmark at 100", "Modified a@101",
			"ReplaceBegin (Expired)", "ReplaceItem a@101", "ReplaceEnd at 102", "Modified a@103")
		for _, r := range k.api.Requests() {
			plainWatch := r.Verb == "watch" && !r.Query.Has("sendInitialEvents")
			if gz := r.Header.Get("Accept-Encoding") == "gzip"; gz == plainWatch {
				t.Errorf("%s %s: gzip %v", r.Verb, r.Query.Encode(), gz)
			}
			if want := map[string]string{"list": watchdecoder.AcceptMetadataList, "watch": watchdecoder.AcceptMetadata}[r.Verb]; r.Header.Get("Accept") != want {
				t.Errorf("%s asks for %s", r.Verb, r.Header.Get("Accept"))
			}
		}
	})
}
