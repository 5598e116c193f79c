package listwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// watch runs Watch to its end in a goroutine.
func (k *kit) watch(o Options) {
	k.run(func(ctx context.Context) eventSeq { return Watch(ctx, k.client, o) })
	pass(10 * time.Millisecond)
}

func TestWatchIsOneRequest(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		o := k.options()
		o.List = rest.ListOptions{ResourceVersion: "100", TimeoutSeconds: 30}
		k.watch(o)
		k.put("a", "2")
		k.delete("a")
		pass(31 * time.Second)
		k.want("its changes and its end", "Modified a@101", "Deleted a@102",
			"error: listwatch: the watch ended after 30s and 2 frames: the server closed it")
		k.wantRequests("as it was given", "watch resourceVersion=100&timeoutSeconds=30&watch=true")
	})
}

func TestWatchTellsInitialEvents(t *testing.T) {
	yes := true
	for _, test := range []struct {
		why  string
		list rest.ListOptions
		want []string
	}{
		{"of a watch-list, up to the marker", rest.ListOptions{SendInitialEvents: &yes, ResourceVersionMatch: rest.MatchNotOlderThan, AllowWatchBookmarks: true},
			[]string{"Added a initial at ", "Added b initial at ", "Bookmark  initial (Synced) at 101", "Added c at 102", "Modified a at 103"}},
		{"of a watch without a version, up to what cannot be one", rest.ListOptions{}, []string{"Added a initial at ", "Added b initial at ", "Added c initial at ", "Modified a at 103"}},
		{"of a watch from a version, none", rest.ListOptions{ResourceVersion: "100"}, []string{"Added b at 101", "Added c at 102", "Modified a at 103"}},
	} {
		t.Run(test.why, func(t *testing.T) {
			inBubble(t, fakeapi.Options{}, func(k *kit) {
				k.at(99)
				k.put("a", "1")
				k.put("b", "1")
				o := k.options()
				o.List = test.list
				var got []string
				for e, err := range Watch(k.t.Context(), k.client, o) {
					if err != nil {
						t.Fatal(err)
					}
					l := fmt.Sprintf("%v %s", e.Kind, e.Identity.Name)
					if e.Initial {
						l += " initial"
					}
					if e.Reason != "" {
						l += " (" + e.Reason + ")"
					}
					got = append(got, l+" at "+e.Version)
					if string(e.Identity.Name) == "b" {
						k.put("c", "1")
						k.put("a", "2")
					}
					if e.Kind == Modified {
						break
					}
				}
				wantLines(t, test.why, got, test.want...)
			})
		})
	}
}

// A watch always ends with an error that says how.
func TestWatchEndsWithATypedError(t *testing.T) {
	counted := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			respond(200, body)(w, r)
		}
	}
	gone := `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"too old"}}`
	for _, test := range []struct {
		why    string
		serve  http.HandlerFunc
		reason string
		is     func(error) bool
	}{
		{"410 as an ERROR event", respond(200, gone+"\n"), ReasonExpired, status.IsGone},
		{"the same with Content-Length", counted(gone), ReasonExpired, status.IsGone},
		{"nothing, with Content-Length", counted(""), ReasonContentLength, func(err error) bool {
			return errors.Is(err, io.EOF) && strings.Contains(err.Error(), "Content-Length")
		}},
		{"a list with Content-Length: watch=1 was ignored", counted(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]}`), ReasonContent, rule(watchdecoder.RuleListNotEvents)},
		{"a Status with Content-Length", counted(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`), "", func(err error) bool { return err != nil }},
		{"a cut", func(w http.ResponseWriter, r *http.Request) {
			respond(200, `{"type":"ADD`)(w, r)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, ReasonCut, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		{"whole, but inside an event", func(w http.ResponseWriter, r *http.Request) {
			respond(200, `{"type":"ADD`)(w, r)
			w.(http.Flusher).Flush()
		}, ReasonCut, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		{"malformed", respond(200, `{"type":"ADDED","object":{]`), ReasonMalformed, rule(watchdecoder.RuleSyntax)},
	} {
		t.Run(test.why, func(t *testing.T) {
			inBubble(t, fakeapi.Options{}, func(k *kit) {
				k.answer(anything, test.serve)
				_, err := lines(Watch(k.t.Context(), k.client, k.options()))
				end, ok := errors.AsType[*StreamError](err)
				if !ok || !test.is(err) || test.reason != "" && end.Reason != test.reason {
					t.Errorf("%T %+v", err, err)
				}
			})
		})
	}
}

func TestWatchThatIsRefusedEndsWithTheRefusal(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.answer(anything, refuse(403, "Forbidden"))
		if _, err := lines(Watch(k.t.Context(), k.client, k.options())); !status.IsForbidden(err) {
			t.Error(err)
		}
		k.answer(anything, page)
		if _, err := lines(Watch(k.t.Context(), k.client, k.options())); classify(err).reason != ReasonContent {
			t.Error(err)
		}
		k.answer(anything, hang) // a peer that accepts and says nothing at all
		if _, err := lines(Watch(k.t.Context(), k.client, k.options())); classify(err).reason != ReasonIdle {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(k.t.Context(), time.Second)
		defer cancel()
		if _, err := lines(Watch(ctx, k.client, k.options())); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// Without bookmarks a quiet watch may be quiet for ever; with them it may not, and learns for how long.
func TestWatchIsBoundedByItsBookmarks(t *testing.T) {
	for _, test := range []struct {
		why       string
		bookmarks bool
		idle      time.Duration
		silentAt  time.Duration
		ends      time.Duration // zero: not in an hour
	}{
		{"no bookmarks, no deadline", false, 0, 0, 0},
		{"no bookmarks, a deadline that was set", false, 40 * time.Second, 0, 40 * time.Second},
		{"bookmarks were asked for", true, 0, 0, 150 * time.Second},
		{"and seen", true, 0, 130 * time.Second, 120*time.Second + 75*time.Second},
		{"but the deadline is off", true, -1, 0, 0},
	} {
		t.Run(test.why, func(t *testing.T) {
			inBubble(t, fakeapi.Options{}, func(k *kit) {
				begin := time.Now()
				k.api.RewriteEvents(func(r *http.Request, e fakeapi.Event) []fakeapi.Event {
					if time.Since(begin) >= test.silentAt {
						return nil
					}
					return []fakeapi.Event{e}
				})
				o := k.options()
				o.List = rest.ListOptions{ResourceVersion: "1", AllowWatchBookmarks: test.bookmarks}
				o.IdleTimeout = test.idle
				ctx, cancel := context.WithTimeout(k.t.Context(), 20*time.Minute)
				defer cancel()
				_, err := lines(Watch(ctx, k.client, o))
				took := time.Since(begin).Truncate(time.Second)
				if test.ends == 0 {
					if !errors.Is(err, context.DeadlineExceeded) || took != 20*time.Minute {
						t.Errorf("%v after %v", err, took)
					}
					return
				}
				end, ok := errors.AsType[*StreamError](err)
				if !ok || end.Reason != ReasonIdle || took != test.ends {
					t.Errorf("%v after %v, want %v", err, took, test.ends)
				}
			})
		})
	}
}

func TestWatchReportsBadFrames(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.answer(anything, respond(200, `{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"3"}}}`+
			`{"type":"STRANGE","object":{"metadata":{"name":"b","resourceVersion":"4"}}}`+
			`{"type":"ADDED","object":{"metadata":{"name":"toolarge","resourceVersion":"5"},"data":"`+strings.Repeat("x", 2000)+`"}}`+
			`{"type":"ADDED","object":{"metadata":{"name":"c","resourceVersion":"6"}}}`))
		o := k.options()
		o.List.ResourceVersion, o.MaxFrameBytes = "1", 1000
		got, err := lines(Watch(k.t.Context(), k.client, o))
		wantLines(t, "the others come", got, "Added a@3", "Problem b@4 (a watch event of unknown type)",
			"Problem toolarge@ (larger than Options.MaxBytes)", "Added c@6")
		if !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
}
