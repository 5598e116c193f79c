package informer

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/listwatch"
)

// unversioned makes the frame of an object a bad one that names its key.
func unversioned(object string) string {
	return regexp.MustCompile(`"resourceVersion":"\d+",?`).ReplaceAllString(object, "")
}

// neverRelist leaves a bad frame to the GET.
var neverRelist = listwatch.Options{WatchList: listwatch.WatchListOff, BadFrameRelist: -1}

func TestSpoiledDeletionIsToldByTheGet(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		var bad atomic.Bool
		k.spoil("a", &bad, unversioned)
		i := k.pods(Options{Reflector: neverRelist})
		stop := run(k, i)
		defer stop()
		told := fromHere(k, i)
		bad.Store(true)
		k.remove("a")
		settle()
		told.want(k, "the frame says that it was deleted, and is not to be trusted")
		bad.Store(false)
		time.Sleep(2 * time.Second)
		told.want(k, "two witnesses", "Deleted a n1> stale")
		if s := i.Status(); len(s.Stale) != 0 || s.Objects != 0 || k.gets() != 1 {
			k.Errorf("%d GETs, Status = %+v", k.gets(), s)
		}
		k.put("a", "n2")
		settle()
		told.want(k, "another life", "Added a >n2")
	})
}

// Whoever answers a GET with 404 in another way than the API server does for this object has not said that it is gone.
func TestOnlyTheServersWordAboutThisObjectIsADeletion(t *testing.T) {
	answer := func(s fakeapi.StatusError) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { fakeapi.WriteStatus(w, &s) }
	}
	for name, write := range map[string]func(http.ResponseWriter){
		"a page of a proxy": func(w http.ResponseWriter) { http.Error(w, "404 page not found", 404) },
		"JSON that is no Status": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(404)
			io.WriteString(w, `{"details":{"name":"a","kind":"pods"}}`)
		},
		"a path without an API":    answer(fakeapi.StatusError{Code: 404, Reason: "NotFound", Message: "the server could not find the requested resource", Details: &fakeapi.StatusDetails{}}),
		"no details":               answer(fakeapi.StatusError{Code: 404, Reason: "NotFound"}),
		"another reason":           answer(fakeapi.StatusError{Code: 404, Reason: "Gone", Details: &fakeapi.StatusDetails{Name: "a", Kind: "pods"}}),
		"another object":           answer(fakeapi.StatusError{Code: 404, Reason: "NotFound", Details: &fakeapi.StatusDetails{Name: "b", Kind: "pods"}}),
		"a namespace of its name":  answer(fakeapi.StatusError{Code: 404, Reason: "NotFound", Details: &fakeapi.StatusDetails{Name: "a", Kind: "namespaces"}}),
		"another group's resource": answer(fakeapi.StatusError{Code: 404, Reason: "NotFound", Details: &fakeapi.StatusDetails{Name: "a", Group: "metrics.k8s.io", Kind: "pods"}}),
		"gone, in another code":    answer(fakeapi.StatusError{Code: 410, Reason: "NotFound", Details: &fakeapi.StatusDetails{Name: "a", Kind: "pods"}}),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, fakeapi.Options{}, func(k *kit) {
				k.put("a", "n1")
				var bad atomic.Bool
				k.spoil("a", &bad, unversioned)
				k.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
					if strings.HasSuffix(r.URL.Path, "/pods/a") {
						write(w)
						return true
					}
					return false
				})
				i := k.pods(Options{Reflector: neverRelist})
				stop := run(k, i)
				defer stop()
				told := fromHere(k, i)
				bad.Store(true)
				k.put("a", "n2")
				time.Sleep(10 * time.Minute)
				told.want(k, "it is there")
				if s := i.Status(); len(s.Stale) != 1 || s.Objects != 1 || k.gets() == 0 {
					k.Errorf("Status = %+v", s)
				}
			})
		})
	}
}

// The GET is ahead of the watch, which may still be on its way through the object's last states.
func TestDeletionToldByTheGetIsNotTakenBackByTheWatch(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		var bad, late atomic.Bool
		k.spoil("a", &bad, unversioned)
		k.RewriteEvents(func(_ *httpRequest, e fakeapi.Event) []fakeapi.Event {
			if late.Load() && e.Type != "BOOKMARK" {
				time.Sleep(5 * time.Second)
			}
			return []fakeapi.Event{e}
		})
		i := k.pods(Options{Reflector: neverRelist})
		stop := run(k, i)
		defer stop()
		told := fromHere(k, i)
		bad.Store(true)
		k.put("a", "n2")
		settle()
		bad.Store(false)
		late.Store(true)
		k.put("a", "n3")
		k.put("a", "n4")
		k.remove("a")
		k.put("a", "n5")
		k.remove("a")
		time.Sleep(4 * time.Second)
		told.want(k, "the GET was first", "Deleted a n1> stale")
		time.Sleep(time.Minute)
		told.want(k, "of the first life nothing more, of the second all", "Added a >n5", "Deleted a n5>")
		if s := i.Status(); len(s.Stale) != 0 || s.Objects != 0 || k.gets() != 3 { // and one for each of n3 and n4
			k.Errorf("%d GETs, Status = %+v", k.gets(), s)
		}
	})
}

// A server may deny what it has: a restored etcd brings objects back, with their UIDs. What a watch or a list shows of one is asked for again.
func TestObjectThatWasDeniedAndIsSeenAgainIsReadAgain(t *testing.T) {
	for _, by := range []string{"watch", "list"} {
		t.Run(by, func(t *testing.T) {
			bubble(t, fakeapi.Options{}, func(k *kit) {
				k.put("a", "n1")
				var bad atomic.Bool
				k.spoil("a", &bad, unversioned)
				honest := k.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
					if strings.HasSuffix(r.URL.Path, "/pods/a") {
						fakeapi.WriteStatus(w, &fakeapi.StatusError{Code: 404, Reason: "NotFound", Details: &fakeapi.StatusDetails{Name: "a", Kind: "pods"}})
						return true
					}
					return false
				})
				i := k.pods(Options{Reflector: neverRelist})
				stop := run(k, i)
				defer stop()
				told := fromHere(k, i)
				bad.Store(true)
				k.put("a", "n2")
				time.Sleep(2 * time.Second)
				told.want(k, "as the server has it", "Deleted a n1> stale")
				bad.Store(false)
				honest()
				if by == "watch" {
					k.put("a", "n3")
				} else {
					k.ExpireWatches()
				}
				time.Sleep(10 * time.Second)
				told.want(k, "it is there", map[string]string{"watch": "Added a >n3", "list": "Added a >n2"}[by])
				k.put("a", "n4")
				settle()
				if got := told.take(); len(got) != 1 || !strings.HasSuffix(got[0], ">n4") {
					k.Errorf("told %q", got)
				}
				if s := i.Status(); len(s.Stale) != 0 || s.Objects != 1 {
					k.Errorf("Status = %+v", s)
				}
			})
		})
	}
}
