package informer

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// An object that is read again by GET is ahead of the watch, which may still be on its way through older states of it.
func TestRereadIsNotTakenBackByTheWatch(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		bad := true
		k.RewriteEvents(func(r *httpRequest, e fakeapi.Event) []fakeapi.Event {
			switch {
			case e.Type == "BOOKMARK" || !strings.Contains(string(e.Object), `"name":"a"`):
			case bad:
				bad = false
				e.Object = []byte(wrongType(string(e.Object)))
			default:
				time.Sleep(5 * time.Second)
			}
			return []fakeapi.Event{e}
		})
		i := k.pods(Options{})
		var told record
		i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		for _, node := range []string{"n1", "n2", "n3"} { // n1 is bad, n2 and n3 are late
			k.put("a", node)
		}
		time.Sleep(time.Minute)
		told.want(k, "the GET brought the last state, and nothing took it back", "Added a >n3")
		k.put("a", "n4")
		time.Sleep(time.Minute)
		told.want(k, "what comes later counts", "Updated a n3>n4")
		k.remove("a")
		time.Sleep(time.Minute)
		told.want(k, "so does the end", "Deleted a n4>")
	})
}

// A watch only goes forward. What claims to be older than what came before, or to be of no version at all, is not believed: the object is read again.
func TestEventOfAnImpossibleVersionIsReadAgain(t *testing.T) {
	for _, version := range []string{"1", "0", "abc", "007"} {
		t.Run(version, func(t *testing.T) {
			bubble(t, fakeapi.Options{}, func(k *kit) {
				k.put("a", "n1")
				k.put("b", "n1")
				i := k.pods(Options{Reflector: listOnly})
				var told record
				var last Event[*pod]
				i.Subscribe(Handler[*pod]{OnEvent: func(e Event[*pod]) { told.pod(e); last = e }})
				stop := run(k, i)
				defer stop()
				synced(k, i)
				settle()
				told.take()
				field := regexp.MustCompile(`"resourceVersion":"\d+"`)
				stopLying := k.RewriteEvents(func(_ *httpRequest, e fakeapi.Event) []fakeapi.Event {
					if e.Type != "BOOKMARK" {
						e.Object = field.ReplaceAll(e.Object, fmt.Appendf(nil, `"resourceVersion":%q`, version))
					}
					return []fakeapi.Event{e}
				})
				want := k.put("a", "n2")
				settle()
				if s := i.Status(); s.Problems[listwatch.ReasonVersion] != 1 || len(s.Stale) != 1 {
					k.Errorf("Status = %+v", s)
				}
				time.Sleep(time.Minute)
				told.want(k, "the GET told what it really is", "Updated a n1>n2")
				if e, _ := i.Store().Entry(podKey("a")); e.ResourceVersion != fmt.Sprint(want.ResourceVersion) {
					k.Errorf("version %s", e.ResourceVersion)
				}
				k.remove("a")
				settle()
				stopLying()
				told.want(k, "a deletion of what is in the store is one", "Deleted a n2>")
				if last.ResourceVersion != fmt.Sprint(want.ResourceVersion) {
					k.Errorf("deleted at version %s", last.ResourceVersion)
				}
			})
		})
	}
}

// A server that repeats what it has said long ago must not end the life that an object has now.
func TestDeletionOfAnEarlierLifeIsNone(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		var old fakeapi.Event
		k.RewriteEvents(func(_ *httpRequest, e fakeapi.Event) []fakeapi.Event {
			switch {
			case e.Type == "DELETED":
				old = e
			case strings.Contains(string(e.Object), `"name":"b"`):
				return []fakeapi.Event{e, old}
			}
			return []fakeapi.Event{e}
		})
		i := k.pods(Options{})
		var told record
		i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		settle()
		k.remove("a")
		settle()
		k.put("a", "n2")
		settle()
		told.take()
		k.put("b", "n1")
		time.Sleep(time.Minute)
		told.want(k, "a lives", "Added b >n1")
		if s := i.Status(); s.Objects != 2 || len(s.Stale) != 0 || k.gets() != 1 {
			k.Errorf("%d GETs, Status = %+v", k.gets(), s)
		}
	})
}

// What is told of a deletion is about the object that was seen, not about one that came and went unseen under its name.
func TestDeletionOfALifeThatNobodySawEndsTheOneThatWasSeen(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		lose := false
		k.RewriteEvents(func(_ *httpRequest, e fakeapi.Event) []fakeapi.Event {
			if lose && e.Type != "BOOKMARK" {
				return nil
			}
			return []fakeapi.Event{e}
		})
		i := k.pods(Options{})
		var told record
		var last Event[*pod]
		i.Subscribe(Handler[*pod]{OnEvent: func(e Event[*pod]) { told.pod(e); last = e }})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		settle()
		told.take()
		had, _ := i.Store().Entry(podKey("a"))
		lose = true
		k.remove("a")
		k.put("a", "n2")
		settle()
		lose = false
		k.remove("a")
		settle()
		told.want(k, "the first life is over, the second was never told of", "Deleted a n1> stale")
		if last.UID != had.UID || last.ResourceVersion != had.ResourceVersion {
			k.Errorf("deleted was %s at %s", last.UID, last.ResourceVersion)
		}
	})
}

// An item that does not say which object it is may be any of those that the list lacks. None of them is taken for deleted before it has been asked for.
func TestUnnamedItemOfARelistDeletesNothing(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		for _, name := range []string{"changed", "gone", "same"} {
			k.put(name, "n1")
		}
		k.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("watch") != "" || !strings.HasSuffix(r.URL.Path, "/pods") {
					next.ServeHTTP(w, r)
					return
				}
				rec := httptest.NewRecorder()
				next.ServeHTTP(rec, r)
				w.Header().Set("Content-Type", "application/json")
				body := rec.Body.String()
				if r.URL.Query().Get("resourceVersion") != "0" {
					body = strings.ReplaceAll(body, `"name":`, `"nom":`)
				}
				io.WriteString(w, body)
			})
		})
		i := k.pods(Options{Reflector: listOnly})
		stop := run(k, i)
		defer stop()
		told := fromHere(k, i)
		k.CloseWatches()
		k.put("changed", "n2")
		k.remove("gone")
		k.ExpireWatches()
		time.Sleep(1500 * time.Millisecond)
		told.want(k, "the relist told nothing, for none of its items had a name")
		if n := i.Store().Len(); n != 3 {
			k.Errorf("%d objects", n)
		}
		time.Sleep(time.Minute)
		told.want(k, "each was asked for", "Updated changed n1>n2", "Deleted gone n1> stale")
		if s := i.Status(); len(s.Stale) != 0 || s.Objects != 2 {
			k.Errorf("Status = %+v", s)
		}
	})
}

// A deletion whose event is too much to be read is one all the same: nobody would tell of it again.
func TestDeletionThatIsTooLargeIsADeletion(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		k.RewriteEvents(func(_ *httpRequest, e fakeapi.Event) []fakeapi.Event {
			if e.Type == "DELETED" {
				e.Object = []byte(strings.TrimSuffix(string(e.Object), "}") + `,"pad":"` + strings.Repeat("x", 5000) + `"}`)
			}
			return []fakeapi.Event{e}
		})
		i := k.pods(Options{Reflector: listwatch.Options{WatchList: listwatch.WatchListOff, MaxFrameBytes: 4000, BadFrameRelist: -1}})
		stop := run(k, i)
		defer stop()
		told := fromHere(k, i)
		k.remove("a")
		settle()
		told.want(k, "the key says enough", "Deleted a n1>")
		if s := i.Status(); s.Objects != 0 || len(s.Stale) != 0 || s.Problems[watchdecoder.RuleTooLarge] != 1 {
			k.Errorf("Status = %+v", s)
		}
	})
}
