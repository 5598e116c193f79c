package informer

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// gets counts the objects that were read one by one.
func (k *kit) gets() (n int) {
	for _, r := range k.Requests() {
		if r.Verb == "get" {
			n++
		}
	}
	return n
}

// spoil makes the frames of an object what f returns, as long as bad is set.
func (k *kit) spoil(name string, bad *atomic.Bool, f func(string) string) {
	k.RewriteEvents(func(_ *httpRequest, e fakeapi.Event) []fakeapi.Event {
		if bad.Load() && strings.Contains(string(e.Object), fmt.Sprintf(`"name":%q`, name)) {
			e.Object = []byte(f(string(e.Object)))
		}
		return []fakeapi.Event{e}
	})
}

func wrongType(object string) string { return replace(object, `"nodeName":`, `"nodeName":1,"was":`) }

func TestUndecodableObjectIsIsolatedAndReadAgain(t *testing.T) {
	for _, when := range []string{"watch-list", "watch"} {
		t.Run(when, func(t *testing.T) {
			bubble(t, fakeapi.Options{}, func(k *kit) {
				var bad atomic.Bool
				bad.Store(true)
				k.spoil("bad", &bad, wrongType)
				var problems []Problem
				i := k.pods(Options{OnProblem: func(p Problem) { problems = append(problems, p) }})
				var told record
				sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
				if when == "watch-list" {
					k.put("bad", "n1")
					k.put("good", "n1")
				}
				stop := run(k, i)
				defer stop()
				k.await(sub.Synced())
				if when == "watch" {
					k.put("bad", "n1")
					k.put("good", "n1")
				}
				settle()
				if s := i.Status(); i.Store().Len() != 1 || cmp.Diff([]string{"default/bad"}, s.Stale) != "" || s.Problems["undecodable"] != 1 {
					k.Errorf("Status = %+v", s)
				}
				if len(problems) != 1 || problems[0].Key != podKey("bad") || problems[0].Reason != "undecodable" || problems[0].Err == nil {
					k.Errorf("OnProblem was told %+v", problems)
				}
				if len(told.take()) != 1 {
					k.Error("not one event, of the good object")
				}
				time.Sleep(2 * time.Second)
				told.want(k, "the GET brought it", "Added bad >n1")
				if s := i.Status(); len(s.Stale) != 0 || s.Rereads != 1 || k.gets() != 1 {
					k.Errorf("Status = %+v", s)
				}
			})
		})
	}
}

func TestUndecodableObjectKeepsItsLastGoodState(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("bad", "n1")
		var bad atomic.Bool
		k.spoil("bad", &bad, wrongType)
		refuse := k.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("watch") != "" {
				return false
			}
			fakeapi.WriteStatus(w, &fakeapi.StatusError{Code: 403, Reason: "Forbidden"})
			return true
		})
		defer refuse()
		i := k.pods(Options{})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		told.take()
		bad.Store(true)
		k.put("bad", "n2")
		time.Sleep(time.Hour)
		told.want(k, "no event for what cannot be read")
		if b, ok := i.Get(podKey("bad")); !ok || b.Spec.NodeName != "n1" {
			k.Errorf("the store has %v", b)
		}
		if s := i.Status(); len(s.Stale) != 1 || s.Rereads != 0 {
			k.Errorf("Status = %+v", s)
		}
		bad.Store(false)
		k.put("bad", "n3")
		settle()
		told.want(k, "the next good state, after the last one", "Updated bad n1>n3")
		if s := i.Status(); len(s.Stale) != 0 {
			k.Errorf("still stale: %v", s.Stale)
		}
	})
}

func TestUndecodableDeletionIsADeletion(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("bad", "n1")
		var bad atomic.Bool
		k.spoil("bad", &bad, wrongType)
		i := k.pods(Options{})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		told.take()
		bad.Store(true)
		k.remove("bad")
		time.Sleep(time.Minute)
		told.want(k, "with the last state that could be read", "Deleted bad n1>")
		if s := i.Status(); len(s.Stale) != 0 || k.gets() != 0 || s.Problems["undecodable"] != 1 {
			k.Errorf("Status = %+v", s)
		}
	})
}

// The deletion is good enough, and clears no mark but its own.
func TestUndecodableLifeAfterAnUndecodableDeletionIsReadAgain(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("bad", "n1")
		var bad atomic.Bool
		k.spoil("bad", &bad, wrongType)
		i := k.pods(Options{})
		stop := run(k, i)
		defer stop()
		told := fromHere(k, i)
		bad.Store(true)
		k.remove("bad")
		k.put("bad", "n2")
		time.Sleep(time.Minute)
		told.want(k, "the end and the GET's answer", "Deleted bad n1>", "Added bad >n2")
		if s := i.Status(); len(s.Stale) != 0 || k.gets() != 1 {
			k.Errorf("%d GETs, Status = %+v", k.gets(), s)
		}
	})
}

func TestFrameWithoutIdentityIsReportedAndSkipped(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		var bad atomic.Bool
		k.spoil("bad", &bad, func(o string) string { return replace(o, `"name":"bad"`, `"name":""`) })
		i := k.pods(Options{})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		bad.Store(true)
		k.put("bad", "n1")
		settle()
		bad.Store(false)
		k.put("good", "n1")
		time.Sleep(time.Minute)
		got := strings.Join(told.take(), "; ")
		if !strings.Contains(got, "Added good >n1") {
			k.Errorf("told %q, want what came after the bad frame", got)
		}
		if s := i.Status(); s.Problems[watchdecoder.RuleNoName] != 1 || !strings.Contains(s.LastProblem, watchdecoder.RuleNoName) {
			k.Errorf("Status = %+v", s)
		}
	})
}

func TestPermanentlyBadObjectDoesNotLoop(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("bad", "n1")
		k.put("good", "n1")
		codec := Transform(watchdecoder.JSON[pod](), func(p *pod) (*pod, error) {
			if p.Metadata.Name == "bad" {
				return nil, errors.New("never")
			}
			return p, nil
		})
		i := New(k.client, rest.Pods, codec, Options{})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		time.Sleep(24 * time.Hour)
		lists := 0
		for _, r := range k.requests() {
			if r == "watchlist" || r == "list" {
				lists++
			}
		}
		if lists > 26 || k.gets() != 1 { // probes after each reconnect are not relists; decoding failures cause none
			k.Errorf("%d lists and %d GETs in a day", lists, k.gets())
		}
		if s := i.Status(); len(s.Stale) != 1 || i.Healthy(0) != nil {
			k.Errorf("Status = %+v, Healthy = %v", s, i.Healthy(0))
		}
	})
}

func TestRereadIsTriedAgainWhenTheServerCannotBeAsked(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("bad", "n1")
		var bad atomic.Bool
		bad.Store(true)
		k.spoil("bad", &bad, wrongType)
		failing := k.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/pods/bad") {
				fakeapi.WriteStatus(w, &fakeapi.StatusError{Code: 503, Reason: "ServiceUnavailable"})
				return true
			}
			return false
		})
		i := k.pods(Options{})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		time.Sleep(2 * time.Minute)
		if i.Store().Len() != 0 {
			k.Error("where does it come from?")
		}
		failing()
		time.Sleep(time.Minute)
		if i.Store().Len() != 1 || len(i.Status().Stale) != 0 {
			k.Errorf("Status = %+v", i.Status())
		}
	})
}

func TestRereadThatComesLateChangesNothing(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("bad", "n1")
		var bad atomic.Bool
		bad.Store(true)
		k.spoil("bad", &bad, wrongType)
		asked, answer := make(chan struct{}), make(chan struct{})
		k.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(&late{w, r, asked, answer}, r)
			})
		})
		i := k.pods(Options{})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		<-asked // the old state is on its way
		bad.Store(false)
		k.remove("bad")
		settle()
		close(answer)
		time.Sleep(time.Minute)
		told.want(k, "what was deleted meanwhile does not rise again")
		if i.Store().Len() != 0 || len(i.Status().Stale) != 0 {
			k.Errorf("Status = %+v", i.Status())
		}
	})
}

// late holds back the answer to a GET of a single pod.
type late struct {
	http.ResponseWriter
	r             *http.Request
	asked, answer chan struct{}
}

func (l *late) Write(p []byte) (int, error) {
	if strings.HasSuffix(l.r.URL.Path, "/pods/bad") {
		close(l.asked)
		<-l.answer
	}
	return l.ResponseWriter.Write(p)
}

func (l *late) Unwrap() http.ResponseWriter { return l.ResponseWriter }

func TestTransformRunsBeforeAnybodySeesTheObject(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1", "app=web")
		calls := &counting[*pod]{Codec: watchdecoder.JSON[pod]()}
		codec := Transform[*pod](calls, func(p *pod) (*pod, error) {
			p.Metadata = struct {
				Name            string            `json:"name"`
				Labels          map[string]string `json:"labels"`
				ResourceVersion string            `json:"resourceVersion"`
			}{}
			return p, nil
		})
		i := New(k.client, rest.Pods, codec, Options{})
		var told record
		i.Subscribe(Handler[*pod]{OnEvent: func(e Event[*pod]) {
			told.pod(e)
			for _, p := range []*pod{e.Old, e.New} {
				if p != nil && p.Metadata.Name != "" {
					k.Errorf("%s shows what was stripped", describe(e))
				}
			}
		}})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		k.put("a", "n2")
		settle()
		k.remove("a")
		settle()
		told.want(k, "identity travels beside the object: stripping it breaks nothing", "Added a >n1 initial", "Updated a n1>n2", "Deleted a n2>")
		if n := calls.take(); n != 3 {
			k.Errorf("%d decodes of three states", n)
		}
	})
}

func TestTransformThatFailsOnceLosesNothing(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		fail := errors.New("once")
		var failed atomic.Bool
		codec := Transform(watchdecoder.JSON[pod](), func(p *pod) (*pod, error) {
			if p.Spec.NodeName == "n2" && failed.CompareAndSwap(false, true) {
				return nil, fail
			}
			return p, nil
		})
		var problem Problem
		i := New(k.client, rest.Pods, codec, Options{OnProblem: func(p Problem) { problem = p }})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		changed := k.put("a", "n2")
		settle()
		told.want(k, "the failure is no event", "Added a >n1 initial")
		if !errors.Is(problem, fail) || problem.Error() != "informer: default/a: undecodable: transform: once" {
			k.Errorf("OnProblem was told %v", problem)
		}
		if s := i.Status(); len(s.Stale) != 1 {
			k.Errorf("the version moved on with no witness: %+v", s)
		}
		time.Sleep(2 * time.Second)
		told.want(k, "the object was read again", "Updated a n1>n2")
		if had, _ := i.Store().Entry(podKey("a")); had.ResourceVersion != fmt.Sprint(changed.ResourceVersion) {
			k.Errorf("the store has version %s", had.ResourceVersion)
		}
	})
}

func TestStaleKeysAreBounded(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		for n := range maxStale + 5 {
			k.put(fmt.Sprint("p", n), "n1")
		}
		codec := Transform(watchdecoder.JSON[pod](), func(*pod) (*pod, error) { return nil, errors.New("never") })
		i := New(k.client, rest.Pods, codec, Options{})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		settle()
		if s := i.Status(); len(s.Stale) != maxStale || s.Problems["undecodable"] != maxStale+5 {
			k.Errorf("%d stale keys, %v", len(s.Stale), s.Problems)
		}
	})
}
