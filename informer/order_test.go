package informer

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/listwatch"
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
				i.Subscribe(Handler[*pod]{OnEvent: told.pod})
				stop := run(k, i)
				defer stop()
				synced(k, i)
				settle()
				told.take()
				field := regexp.MustCompile(`"resourceVersion":"\d+"`)
				stopLying := k.RewriteEvents(func(_ *httpRequest, e fakeapi.Event) []fakeapi.Event {
					e.Object = field.ReplaceAll(e.Object, fmt.Appendf(nil, `"resourceVersion":%q`, version))
					return []fakeapi.Event{e}
				})
				want := k.put("a", "n2")
				settle()
				if s := i.Status(); s.Problems[listwatch.ReasonVersion] != 1 || len(s.Stale) != 1 {
					k.Errorf("Status = %+v", s)
				}
				stopLying()
				time.Sleep(time.Minute)
				told.want(k, "the GET told what it really is", "Updated a n1>n2")
				if e, _ := i.Store().Entry(podKey("a")); e.ResourceVersion != fmt.Sprint(want.ResourceVersion) {
					k.Errorf("version %s", e.ResourceVersion)
				}
			})
		})
	}
}
