package listwatch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/status"
)

const watchListRequest = "watch allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=450&watch=true"

func watchRequestFrom(version string) string {
	return "watch allowWatchBookmarks=true&resourceVersion=" + version + "&timeoutSeconds=450&watch=true"
}

func relists(s Status) any { return s.Relists }

func TestStateComesAsWatchListAndGoesOnAsWatch(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		k.put("b", "1")
		k.reflect(k.options())
		k.want("the state", "ReplaceBegin (Start)", "ReplaceItem a@100", "ReplaceItem b@101", "ReplaceEnd at 101")
		k.put("a", "2")
		k.delete("b")
		k.put("c", "1")
		k.want("changes as they happen", "Modified a@102", "Deleted b@103", "Added c@104")
		pass(time.Minute)
		k.want("a bookmark", "Bookmark at 104")
		k.wantRequests("one request for everything", watchListRequest)
	})
}

func TestWatchGoesOnAtOnceAfterTimeoutSeconds(t *testing.T) {
	inBubble(t, fakeapi.Options{BookmarkInterval: -1}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		o := k.options()
		o.List.TimeoutSeconds = 100
		k.reflect(o)
		k.want("the state", "ReplaceBegin (Start)", "ReplaceItem a@100", "ReplaceEnd at 100")
		k.api.ForgetRequests()
		k.at(110)
		k.put("a", "2")
		pass(101 * time.Second)
		k.put("a", "3")
		k.want("nothing is lost", "Modified a@111", "Modified a@112")
		k.wantRequests("the end was announced: no probe", "watch allowWatchBookmarks=true&resourceVersion=111&timeoutSeconds=100&watch=true")
	})
}

func TestCutConnectionResumesWithoutRelist(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		k.reflect(k.options())
		pass(20 * time.Second)
		k.want("the state", "ReplaceBegin (Start)", "ReplaceItem a@100", "ReplaceEnd at 100")
		k.api.ForgetRequests()
		k.api.CutConnections()
		k.put("a", "2")
		k.delete("a")
		pass(time.Second)
		k.want("what happened meanwhile comes once", "Modified a@101", "Deleted a@102")
		k.wantRequests("a probe, then the watch from where it was", "list limit=1", watchRequestFrom("100"))
		k.wantStatus("no relist", relists, map[string]uint64(nil))
	})
}

func TestServerThatShutsDownIsProbedForAnotherOne(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		k.reflect(k.options())
		pass(20 * time.Second)
		k.api.ForgetRequests()
		k.api.CloseWatches() // whole, as a server that goes down does
		pass(time.Second)
		k.wantRequests("nobody announced this end", "list limit=1", watchRequestFrom("100"))
	})
}

func TestExpiredVersionIsListedAnewAtOurVersion(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		k.put("b", "1")
		k.reflect(k.options())
		pass(150 * time.Second)
		k.api.CutConnections()
		k.delete("b")
		k.put("c", "1")
		k.api.Compact()
		k.api.ForgetRequests()
		k.forget()
		pass(2 * time.Second)
		k.want("410, and a new state", "ReplaceBegin (Expired)", "ReplaceItem a@100", "ReplaceItem c@103", "ReplaceEnd at 103")
		k.wantRequests("not older than ours", "list limit=1", watchRequestFrom("101"),
			"watch allowWatchBookmarks=true&resourceVersion=101&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=450&watch=true")
		k.wantStatus("counted by reason", relists, map[string]uint64{"Expired": 1})
	})
}

func TestRestoredEtcdIsANewEpoch(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		backup := k.api.Snapshot()
		k.put("a", "2")
		k.put("b", "1")
		k.reflect(k.options())
		pass(20 * time.Second)
		k.want("the state", "ReplaceBegin (Start)", "ReplaceItem a@101", "ReplaceItem b@102", "ReplaceEnd at 102")
		k.api.Restore(backup)
		pass(3 * time.Second)
		k.want("everything anew", "ReplaceBegin (Epoch)", "ReplaceItem a@100", "ReplaceEnd at 100")
		k.wantStatus("epoch", func(s Status) any { return s.Epoch }, uint64(1))
		k.put("b", "2")
		k.want("the versions are issued a second time", "Added b@101")
	})
}

func TestSilentWatchIsResumed(t *testing.T) {
	inBubble(t, fakeapi.Options{BookmarkInterval: -1}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		k.reflect(k.options())
		k.want("the state", "ReplaceBegin (Start)", "ReplaceItem a@100", "ReplaceEnd at 100")
		k.api.ForgetRequests()
		pass(149 * time.Second)
		k.wantRequests("patience")
		pass(2 * time.Second)
		k.wantRequests("150 s without a byte", "list limit=1", watchRequestFrom("100"))
		k.wantStatus("cause", func(s Status) any { return s.LastErrorReason }, ReasonIdle)
	})
}

func TestBookmarksShortenThePatience(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		var silent atomic.Bool
		k.api.RewriteEvents(func(r *http.Request, e fakeapi.Event) []fakeapi.Event {
			if silent.Load() {
				return nil
			}
			return []fakeapi.Event{e}
		})
		k.reflect(k.options())
		pass(125 * time.Second) // bookmarks at about 60 and 120 s
		silent.Store(true)
		k.api.ForgetRequests()
		pass(60 * time.Second)
		k.wantRequests("patience")
		pass(20 * time.Second)
		k.wantRequests("75 s after the last one", "list limit=1", watchRequestFrom("100"))
	})
}

func TestWatchThatOutlivesItsTimeoutIsEnded(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		k.api.Use(func(next http.Handler) http.Handler { // a server that does not honour timeoutSeconds
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				q := r.URL.Query()
				q.Del("timeoutSeconds")
				r.URL.RawQuery = q.Encode()
				next.ServeHTTP(w, r)
			})
		})
		o := k.options()
		o.List.TimeoutSeconds = 100
		k.reflect(o)
		pass(129 * time.Second)
		k.api.ForgetRequests()
		k.wantRequests("its bookmarks keep it alive")
		pass(2 * time.Second)
		k.wantRequests("30 s over", "list limit=1", "watch allowWatchBookmarks=true&resourceVersion=100&watch=true")
		k.wantStatus("cause", func(s Status) any { return s.LastErrorReason }, ReasonOverdue)
	})
}

func TestServerThatGoesAwayIsAskedByTheLadder(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.reflect(k.options())
		pass(20 * time.Second)
		var requests atomic.Int64
		k.api.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			requests.Add(1)
			refuse(500, "InternalError")(w, r)
			return true
		})
		k.api.CutConnections()
		pass(10 * time.Minute)
		if n := requests.Load(); n > 30 {
			t.Errorf("%d requests in ten minutes of 500", n)
		}
	})
}

// A version that is always too old must not be a loop of lists.
func TestExpiredForEverIsListedByTheLadder(t *testing.T) {
	inBubble(t, fakeapi.Options{WatchList: fakeapi.WatchListRefused}, func(k *kit) {
		k.put("a", "1")
		k.reflect(k.options())
		pass(5 * time.Minute) // all is well
		k.api.ForgetRequests()
		k.api.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if !isWatch(r) {
				return false
			}
			refuse(410, "Expired")(w, r)
			return true
		})
		k.api.CutConnections()
		pass(10 * time.Minute)
		lists := 0
		for _, r := range k.api.Requests() {
			if r.Verb == "list" {
				lists++
			}
		}
		if lists < 10 || lists > 30 {
			t.Errorf("%d lists in ten minutes", lists)
		}
	})
}

// A server that breaks each watch at once, or after a frame, is not asked for another all the time.
func TestFlappingWatchIsSlowedDown(t *testing.T) {
	for why, after := range map[string]time.Duration{"at once": 0, "after five seconds": 5 * time.Second} {
		inBubble(t, fakeapi.Options{}, func(k *kit) {
			k.reflect(k.options())
			pass(5 * time.Minute)
			k.api.ForgetRequests()
			k.api.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
				if !isWatch(r) {
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(200)
				w.(http.Flusher).Flush()
				time.Sleep(after)
				panic(http.ErrAbortHandler)
			})
			k.api.CutConnections()
			pass(10 * time.Minute)
			if n := len(k.api.Requests()); n > 80 { // a probe and a watch each
				t.Errorf("cut %s: %d requests in ten minutes", why, n)
			}
			if s := k.r.Status(); len(s.Relists) > 0 {
				t.Errorf("cut %s: %v", why, s.Relists)
			}
		})
	}
}

func TestTransitionsAreLogged(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "1")
		var log bytes.Buffer
		o := k.options()
		o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		k.answer(anything, refuse(503, "ServiceUnavailable"))
		k.reflect(o)
		pass(2 * time.Second)
		k.leave()
		want := `level=DEBUG msg=listwatch path=/api/v1/namespaces/default/configmaps from=idle to=watch-list reason=Start resourceVersion=""
level=WARN msg=listwatch path=/api/v1/namespaces/default/configmaps from=watch-list to=waiting reason=ServerError resourceVersion="" delay=800ms error="no (503 ServiceUnavailable)"
level=DEBUG msg=listwatch path=/api/v1/namespaces/default/configmaps from=waiting to=watch-list reason=ServerError resourceVersion=""
level=DEBUG msg=listwatch path=/api/v1/namespaces/default/configmaps from=watch-list to=watching reason=Synced resourceVersion=2
level=DEBUG msg=listwatch path=/api/v1/namespaces/default/configmaps from=watching to=idle reason=Stopped resourceVersion=2
`
		if diff := cmp.Diff(want, log.String()); diff != "" {
			t.Error(diff)
		}
	})
}

// Status, Applied and Failed come from other goroutines while the loop runs.
func TestReflectorIsUsedFromSeveralGoroutines(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		o := k.options()
		o.ManualApply = true
		k.reflect(o)
		var others sync.WaitGroup
		for i := range 4 {
			others.Go(func() {
				for n := range 50 {
					time.Sleep(time.Duration(i+1) * 100 * time.Millisecond)
					s := k.r.Status()
					k.r.Applied(s.Received)
					if n%10 == i {
						k.r.Failed(io.ErrClosedPipe)
					}
				}
			})
		}
		for n := range 100 {
			k.put("a", fmt.Sprint(n))
			pass(50 * time.Millisecond)
		}
		others.Wait()
		pass(time.Minute)
		received := k.r.Status().Received
		if want := fmt.Sprint(k.api.Version()); received != want {
			t.Errorf("received %s of %s", received, want)
		}
	})
}

func TestThrottlingIsObeyedWithoutRelist(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.reflect(k.options())
		pass(20 * time.Second)
		var requests, lists atomic.Int64
		remove := k.api.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			requests.Add(1)
			if isList(r) {
				lists.Add(1)
			}
			w.Header().Set("Retry-After", "1")
			refuse(429, "TooManyRequests")(w, r)
			return true
		})
		k.api.CutConnections()
		pass(10 * time.Minute)
		if n := requests.Load(); n > 60 || lists.Load() > probeAttempts {
			t.Errorf("%d requests, %d of them probes, in ten minutes of 429", n, lists.Load())
		}
		remove()
		k.forget()
		k.put("a", "1")
		pass(40 * time.Second)
		k.want("no relist", "Added a@100")
		k.wantStatus("no relist", relists, map[string]uint64(nil))
	})
}

// What a server or proxy without watch-list does, and by when there must be a state.
func TestBrokenWatchListIsSyncedByList(t *testing.T) {
	for _, test := range []struct {
		why    string
		mode   fakeapi.WatchListMode
		reason string
		within time.Duration
	}{
		{"a server with the feature off says so", fakeapi.WatchListRefused, ReasonUnsupported, time.Second},
		{"a proxy that accepts and says nothing", fakeapi.WatchListSilent, ReasonSilent, 45 * time.Second},
		{"a server that never heard of it sends an ordinary watch", fakeapi.WatchListIgnored, ReasonSilent, 45 * time.Second},
		{"one that forgets the marker", fakeapi.WatchListUnmarked, ReasonSilent, 45 * time.Second},
	} {
		t.Run(test.why, func(t *testing.T) {
			inBubble(t, fakeapi.Options{WatchList: test.mode}, func(k *kit) {
				k.at(99)
				k.put("a", "1")
				k.reflect(k.options())
				pass(test.within)
				k.wantStatus("synced", func(s Status) any { return s.Synced }, true)
				k.wantStatus("why", func(s Status) any { return s.NoWatchList.Reason }, test.reason)
				k.api.ForgetRequests()
				k.forget()
				pass(130 * time.Second)
				k.api.ExpireWatches()
				pass(2 * time.Second)
				for _, r := range k.api.Requests() {
					if r.Query.Has("sendInitialEvents") {
						t.Errorf("tried again at the next relist")
					}
				}
				k.wantStatus("one relist", relists, map[string]uint64{"Expired": 1})
			})
		})
	}
}

func TestUnmarkedBookmarkEndsWatchList(t *testing.T) {
	inBubble(t, fakeapi.Options{WatchList: fakeapi.WatchListIgnored}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		k.reflect(k.options())
		for i := range 6 { // busy enough never to be silent
			pass(10 * time.Second)
			k.put("a", fmt.Sprint(i))
		}
		pass(15 * time.Second)
		k.wantStatus("synced within 75 s", func(s Status) any { return s.Synced }, true)
		k.wantStatus("why", func(s Status) any { return s.NoWatchList.Reason }, ReasonNoWatchList)
	})
}

func TestSlowWatchListIsNotCut(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.answer(isWatch, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for i := range 15 { // five minutes for fifteen objects
				time.Sleep(20 * time.Second)
				fmt.Fprintf(w, `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"o%d","namespace":"default","uid":"u%d","resourceVersion":"%d"}}}`, i, i, 10+i)
				w.(http.Flusher).Flush()
			}
			fmt.Fprint(w, `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"100","annotations":{"k8s.io/initial-events-end":"true"}}}}`)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		})
		k.reflect(k.options())
		pass(301 * time.Second)
		k.wantStatus("synced", func(s Status) any { return [2]any{s.Synced, s.WatchLists} }, [2]any{true, uint64(1)})
	})
}

func TestLessonsAreShared(t *testing.T) {
	inBubble(t, fakeapi.Options{WatchList: fakeapi.WatchListRefused}, func(k *kit) {
		o := k.options()
		o.Lessons = NewLessons()
		k.reflect(o)
		pass(time.Second)
		k.leave()
		k.api.ForgetRequests()
		o.Namespace = "kube-system" // the same server, the same resource
		k.reflect(o)
		pass(time.Second)
		k.wantRequests("the second one knows", "list limit=500&resourceVersion=0", watchRequestFrom(fmt.Sprint(k.api.Version())))
	})
}

func TestSelectorsAndExtraGoWithEveryRequest(t *testing.T) {
	inBubble(t, fakeapi.Options{WatchList: fakeapi.WatchListRefused}, func(k *kit) {
		o := k.options()
		o.List.LabelSelector, o.List.FieldSelector = "app=web", "metadata.name=a"
		o.List.Extra = map[string][]string{"pretty": {"false"}}
		k.reflect(o)
		pass(20 * time.Second)
		k.api.CutConnections()
		pass(2 * time.Second)
		if n := len(k.api.Requests()); n != 5 { // watch-list, list, watch, probe, watch
			t.Errorf("%d requests", n)
		}
		for _, r := range k.api.Requests() {
			q := r.Query
			if q.Get("labelSelector") != "app=web" || q.Get("fieldSelector") != "metadata.name=a" || q.Get("pretty") != "false" {
				t.Errorf("%s without selectors", q.Encode())
			}
		}
	})
}

func TestBadObjectsAreReportedAndSkipped(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		k.api.RewriteEvents(func(r *http.Request, e fakeapi.Event) []fakeapi.Event {
			if strings.Contains(string(e.Object), `"bad"`) {
				e.Raw = []byte(`{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"bad","namespace":"default"}}}`)
			}
			return []fakeapi.Event{e}
		})
		k.reflect(k.options())
		k.want("the state", "ReplaceBegin (Start)", "ReplaceItem a@100", "ReplaceEnd at 100")
		k.put("bad", "1")
		pass(3 * time.Second)
		k.want("its relist finds it again, and goes on", "Problem bad@ (an object without resourceVersion)",
			"ReplaceBegin (BadFrame)", "ReplaceItem a@100", "Problem bad@ (an object without resourceVersion)", "ReplaceEnd at 101")
		k.put("bad", "2")
		k.put("a", "2")
		k.want("one relist an hour", "Problem bad@ (an object without resourceVersion)", "Modified a@103")
		k.wantStatus("counted", func(s Status) any { return s.Problems }, uint64(3))
	})
}

func TestObjectsOfAnotherKindAreRefused(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		k.api.RewriteEvents(func(r *http.Request, e fakeapi.Event) []fakeapi.Event {
			if strings.Contains(string(e.Object), `"odd"`) {
				e.Object = []byte(strings.Replace(string(e.Object), "ConfigMap", "Secret", 1))
			}
			return []fakeapi.Event{e}
		})
		o := k.options()
		o.BadFrameRelist = -1
		k.reflect(o)
		k.want("the state says what it is made of", "ReplaceBegin (Start)", "ReplaceItem a@100", "ReplaceEnd at 100")
		k.put("odd", "1")
		k.want("another kind", "Problem odd@101 (an object of another kind or apiVersion)")
	})
}

// A custom resource may be deleted and defined anew, with another kind under the same name.
func TestKindIsLearnedAnewWithEachState(t *testing.T) {
	for _, mode := range []WatchListMode{WatchListFirst, WatchListOff} {
		inBubble(t, fakeapi.Options{BookmarkInterval: -1}, func(k *kit) {
			k.at(99)
			k.put("a", "1")
			var renamed atomic.Bool
			rename := func(b []byte) []byte {
				if !renamed.Load() {
					return b
				}
				return bytes.ReplaceAll(b, []byte("ConfigMap"), []byte("OtherKind"))
			}
			k.api.RewriteEvents(func(r *http.Request, e fakeapi.Event) []fakeapi.Event {
				e.Object = rename(e.Object)
				return []fakeapi.Event{e}
			})
			k.api.Use(func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if isWatch(r) {
						next.ServeHTTP(w, r)
						return
					}
					whole := httptest.NewRecorder()
					next.ServeHTTP(whole, r)
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(whole.Code)
					w.Write(rename(whole.Body.Bytes()))
				})
			})
			o := k.options()
			o.WatchList = mode
			k.reflect(o)
			pass(130 * time.Second)
			k.want("the state", "ReplaceBegin (Start)", "ReplaceItem a@100", "ReplaceEnd at 100")
			renamed.Store(true)
			k.api.ExpireWatches()
			pass(2 * time.Second)
			k.put("a", "2")
			k.want("another kind all over", "ReplaceBegin (Expired)", "ReplaceItem a@100", "ReplaceEnd at 101", "Modified a@102")
			renamed.Store(false)
			k.put("a", "3")
			k.want("this one is odd now", "Problem a@103 (an object of another kind or apiVersion)")
		})
	}
}

func TestConsumerSaysWhatIsApplied(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		o := k.options()
		o.ManualApply = true
		k.reflect(o)
		k.put("a", "2")
		k.put("a", "3")
		k.want("three versions", "ReplaceBegin (Start)", "ReplaceItem a@100", "ReplaceEnd at 100", "Modified a@101", "Modified a@102")
		versions := func(s Status) any { return [2]string{s.Received, s.Applied} }
		k.wantStatus("nothing applied", versions, [2]string{"102", ""})
		k.r.Applied("101")
		k.wantStatus("one applied", versions, [2]string{"102", "101"})

		k.leave()
		k.run(k.r.Events)
		pass(time.Second)
		k.want("what was received and not applied was lost with the loop", "Modified a@102")
		k.r.Applied("102")

		k.put("a", "4")
		k.want("a change", "Modified a@103")
		k.api.ForgetRequests()
		k.r.Failed(nil) // while the watch is quiet
		pass(time.Second)
		k.want("what was lost comes again", "Modified a@103")
		k.wantRequests("from the applied version", watchRequestFrom("102"))

		k.r.Failed(nil)
		pass(2 * time.Second)
		k.want("again, and a list", "ReplaceBegin (Consumer)", "ReplaceItem a@103", "ReplaceEnd at 103")
		k.r.Failed(nil)
		pass(5 * time.Second)
		k.want("nothing more can be done within the hour")
		k.wantStatus("relists", relists, map[string]uint64{"Consumer": 1})
	})
}

// A proxy may hold the head of a watch back until something happens.
func TestFailedEndsTheWaitForAHead(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		o := k.options()
		o.ManualApply = true
		k.reflect(o)
		pass(20 * time.Second)
		k.put("a", "2")
		k.want("the state and a change", "ReplaceBegin (Start)", "ReplaceItem a@100", "ReplaceEnd at 100", "Modified a@101")
		k.r.Applied("100")
		k.answer(isWatch, hang)
		k.api.CutConnections()
		pass(2 * time.Second)
		k.wantStatus("no head", func(s Status) any { return s.State }, "watching")
		k.r.Failed(nil)
		pass(2 * time.Second)
		k.want("what was lost comes again", "Modified a@101")
		k.r.Applied("101")
		k.answer(isWatch, hang)
		k.api.CutConnections()
		pass(4 * time.Second)
		k.r.Failed(nil)
		pass(4 * time.Second)
		k.want("nothing to read again: a list", "ReplaceBegin (Consumer)", "ReplaceItem a@101", "ReplaceEnd at 101")
		k.r.Applied("101")
		k.answer(isWatch, hang)
		k.api.CutConnections()
		pass(10 * time.Second)
		k.r.Failed(nil)
		k.put("a", "3")
		pass(10 * time.Second)
		k.want("nothing can be done: the request is sent again", "Modified a@102")
	})
}

func TestFailedWakesAWait(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		o := k.options()
		o.ManualApply = true
		k.reflect(o)
		k.want("the state", "ReplaceBegin (Start)", "ReplaceItem a@100", "ReplaceEnd at 100")
		k.r.Applied("100")
		k.put("a", "2")
		k.want("a change", "Modified a@101")
		k.api.CutConnections()
		k.r.Failed(nil)
		k.r.Failed(nil)
		pass(3 * time.Second)
		k.want("the resume that was waited for goes back", "Modified a@101")
	})
}

func TestSecondLoopIsRefused(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.reflect(k.options())
		pass(time.Second)
		for e, err := range k.r.Events(k.t.Context()) {
			if e != nil || err != ErrBusy {
				t.Errorf("%v, %v", e, err)
			}
		}
	})
}

func TestPathThatIsNoneEndsTheIteration(t *testing.T) {
	o := Options{Namespace: "default"}
	o.Resource.Version = "v1"
	for _, err := range New(nil, o).Events(t.Context()) {
		if err == nil || !strings.Contains(err.Error(), "resource") {
			t.Error(err)
		}
	}
	for _, err := range List(t.Context(), nil, o) {
		if err == nil {
			t.Error("no error")
		}
	}
	for _, err := range Watch(t.Context(), nil, o) {
		if err == nil {
			t.Error("no error")
		}
	}
	if err := Until(t.Context(), nil, o, nil); err == nil {
		t.Error("no error")
	}
}

func TestRequestThatCannotBeMadeEndsTheIteration(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.reflect(Options{Path: "no slash"})
		<-k.done
		if got := k.seen; len(got) != 1 || !strings.HasPrefix(got[0], "error: config") {
			t.Error(got)
		}
	})
}

func TestFailUntilSyncedEndsWithTheFirstFailure(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		o := k.options()
		o.FailUntilSynced = true
		k.answer(anything, refuse(403, "Forbidden"))
		var got error
		for _, err := range New(k.client, o).Events(k.t.Context()) {
			got = err
		}
		if !status.IsForbidden(got) {
			t.Error(got)
		}
	})
}

func TestPathNamesAnyCollection(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		o := k.options()
		o.Path = "/api/v1/namespaces/default/configmaps"
		o.Resource.Resource = ""
		k.put("a", "1")
		k.reflect(o)
		pass(time.Second)
		k.wantStatus("synced", func(s Status) any { return s.Synced }, true)
	})
}

// The loop can be left, and its context can end, in every state; it returns at once, in fake time without any passing.
func TestEndsAtOnceInEveryState(t *testing.T) {
	states := map[string]func(*kit, *Options){
		"watch-list": func(k *kit, o *Options) { k.answer(isWatch, hang) },
		"list":       func(k *kit, o *Options) { o.WatchList = WatchListOff; k.answer(isList, hang) },
		"probing":    func(k *kit, o *Options) { o.List.ResourceVersion = "1"; k.answer(isList, hang) },
		"watching":   func(k *kit, o *Options) {},
		"waiting":    func(k *kit, o *Options) { k.answer(anything, refuse(503, "ServiceUnavailable")) },
	}
	for state, prepare := range states {
		t.Run(state, func(t *testing.T) {
			inBubble(t, fakeapi.Options{}, func(k *kit) {
				o := k.options()
				prepare(k, &o)
				k.reflect(o)
				pass(100 * time.Millisecond)
				k.wantStatus("the state to be ended in", func(s Status) any { return s.State }, state)
				before := time.Now()
				k.leave()
				if took := time.Since(before); took > 0 {
					t.Errorf("took %v", took)
				}
				k.wantStatus("idle", func(s Status) any { return s.State }, "idle")
				if s := k.client.Stats(); s.InUse != 0 {
					t.Errorf("%d connections in use", s.InUse)
				}
			})
		})
	}
}

func hang(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func TestLoopLeftAnywhereLeavesNothing(t *testing.T) {
	for n := range 6 {
		inBubble(t, fakeapi.Options{}, func(k *kit) {
			k.put("a", "1")
			k.put("b", "1")
			seen := 0
			r := New(k.client, k.options())
			for range r.Events(k.t.Context()) {
				if seen++; seen == 4 { // complete
					k.put("a", "2")
					k.put("b", "2")
				}
				if seen > n {
					break
				}
			}
			if s := r.Status(); s.State != "idle" || k.client.Stats().InUse != 0 {
				t.Errorf("left after %d: %s, %+v", n, s.State, k.client.Stats())
			}
		})
	}
}

func TestPanicInTheLoopBodyLeavesNothing(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		r := New(k.client, k.options())
		func() {
			defer func() { recover() }()
			for range r.Events(k.t.Context()) {
				panic("the loop body's own")
			}
		}()
		if s := r.Status(); s.State != "idle" || k.client.Stats().InUse != 0 {
			t.Errorf("%s, %+v", s.State, k.client.Stats())
		}
	})
}

func TestContextThatHasEndedSendsNothing(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		ctx, cancel := context.WithCancel(k.t.Context())
		cancel()
		for e, err := range New(k.client, k.options()).Events(ctx) {
			t.Error(e, err)
		}
		k.wantRequests("nothing")
	})
}

func TestStatusHasStableNames(t *testing.T) {
	inBubble(t, fakeapi.Options{WatchList: fakeapi.WatchListRefused}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		k.reflect(k.options())
		pass(130 * time.Second)
		k.api.ExpireWatches()
		pass(2 * time.Second)
		text, err := json.Marshal(k.r.Status())
		if err != nil {
			t.Fatal(err)
		}
		got := regexp.MustCompile(`"2000-[^"]*"`).ReplaceAllString(string(text), `"T"`)
		got = regexp.MustCompile(`"conn(ections)?":[12]`).ReplaceAllString(got, `"conn$1":N`) // whether a connection is used again is rest's business
		want := `{"state":"watching","since":"T","reason":"Synced","synced":true,"received":"101","applied":"101","epoch":0,` +
			`"lastError":"too old resource version: 100 (101) (410 Expired)","lastErrorReason":"Expired","lastErrorTime":"T",` +
			`"watchLists":1,"lists":2,"pages":0,"watches":3,"resumes":1,"probes":1,"relists":{"Expired":1},"problems":0,` +
			`"lastByte":"T","lastEvent":"T","lastBookmark":"T","conn":N,"connections":N,` +
			`"noWatchList":{"reason":"Unsupported","until":"T","times":1}}`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
