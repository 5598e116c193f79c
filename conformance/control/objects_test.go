package control

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// undecodable has a string where a list must be.
const undecodable = `"spec":{"containers":"none"}`

// A transform that fails once loses nothing: the object is read again.
func TestAnUpdateWhoseTransformFailsIsNotLost(t *testing.T) {
	sideBySide(t, 6, "the transform fails once, on an update", fakeapi.Options{}, func(b *bed) string {
		var fail atomic.Bool
		b.pod("a")
		b.start(setup{transform: func(string) (bool, error) {
			if fail.CompareAndSwap(true, false) {
				return false, errors.New("not now")
			}
			return false, nil
		}})
		fail.Store(true)
		b.pod("a")
		d, ok := b.within(6*time.Hour, b.shows("a"))
		b.must(ok && d < 10*time.Second, "the update was in the store %s", took(d, ok))
		if b.ours {
			if problems := b.informer().Status().Problems; len(problems) == 0 {
				b.Error("Status shows no problem")
			}
		}
		return "the update is in the store " + took(d, ok)
	})
}

// One object that does not decode costs one object.
func TestOneUndecodableObjectCostsOneObject(t *testing.T) {
	const most = 1000
	sideBySide(t, 7, "one of 1,000 objects of the first state does not decode", fakeapi.Options{}, func(b *bed) string {
		for i := range most - 1 {
			b.pod(fmt.Sprintf("pod-%d", i))
		}
		b.pod("bad", undecodable)
		b.start(setup{late: true})
		d, ok := b.within(time.Hour, b.peer.synced)
		b.must(ok && d < time.Second && b.peer.size() == most-1, "synced %s with %d objects", took(d, ok), b.peer.size())
		if b.ours {
			if stale := b.informer().Status().Stale; !slices.Equal(stale, []string{"default/bad"}) {
				b.Errorf("Status says that %q could not be read", stale)
			}
			b.pass(time.Hour)
			b.must(b.requests("list", "watch-list") <= 3, "%d lists in an hour", b.requests("list", "watch-list"))
		}
		b.pod("bad") // somebody mends it
		mended, well := b.within(time.Hour, b.shows("bad"))
		b.must(well && mended < time.Second, "the mended object was there %s", took(mended, well))
		return fmt.Sprintf("synced %s, %d lists and watch-lists in an hour; mended, it is there %s", took(d, ok), b.requests("list", "watch-list"), took(mended, well))
	})
	sideBySide(t, 7, "an object that does not decode comes by watch, and stays for an hour", fakeapi.Options{}, func(b *bed) string {
		b.pod("a")
		b.start(setup{})
		b.pass(5 * time.Minute)
		lists := b.requests("list", "watch-list")
		b.pod("bad", undecodable)
		late, seen := 0, 0
		for range 60 {
			b.pass(time.Minute)
			b.pod("a")
			seen++
			if d, ok := b.within(5*time.Second, b.shows("a")); !ok || d > time.Second {
				late++
			}
		}
		lists = b.requests("list", "watch-list") - lists
		b.must(late == 0 && lists <= 1, "%d of %d changes of another object were late, %d lists", late, seen, lists)
		return fmt.Sprintf("%d of %d changes of another object come late; %d lists and watch-lists in the hour", late, seen, lists)
	})
}

// Who waits in vain is told why.
func TestWhoWaitsForTheFirstStateIsToldWhyItDoesNotCome(t *testing.T) {
	tokens := map[string]fakeapi.User{"token": {Name: "informer", Rules: []fakeapi.Rule{}}}
	sideBySide(t, 8, "list and watch are forbidden", fakeapi.Options{Tokens: tokens}, func(b *bed) string {
		b.token = "token"
		b.start(setup{late: true})
		why := b.whyNotSynced(20 * time.Second)
		b.must(strings.Contains(why, "forbidden") && strings.Contains(why, "pods"), "the reason given is %q", why)
		return fmt.Sprintf("waiting ends with: %s", why)
	})
}

// Updates are updates whatever a transform has left of the object.
func TestATransformThatStripsTheMetadataKeepsUpdates(t *testing.T) {
	sideBySide(t, 9, "the transform strips all metadata but the name; then 10 updates, and another handler has a resync period", fakeapi.Options{}, func(b *bed) string {
		b.pod("a")
		b.start(setup{resync: time.Minute, transform: func(string) (bool, error) { return true, nil }})
		b.pass(5*time.Minute + 30*time.Second)
		for range 10 {
			b.pod("a")
			b.pass(time.Second)
		}
		n := len(b.seen("Updated", 0))
		b.must(n == 10, "%d of 10 updates", n)
		return fmt.Sprintf("%d of 10 updates reach the handler", n)
	})
}

// What a relist finds unchanged is nobody's business.
func TestARelistOfUnchangedObjectsCallsNobody(t *testing.T) {
	sideBySide(t, 10, "relist of 1,000 unchanged objects, resync period 0", fakeapi.Options{}, func(b *bed) string {
		for i := range 1000 {
			b.pod(fmt.Sprintf("pod-%d", i))
		}
		b.start(setup{})
		b.pass(5 * time.Minute)
		before, lists := len(b.seen("", 0)), b.requests("list", "watch-list")
		b.server.ExpireWatches()
		b.pass(time.Minute)
		if b.requests("list", "watch-list") == lists {
			b.Fatal("there was no relist")
		}
		calls := len(b.seen("", before))
		b.must(calls == 0, "%d calls", calls)
		return fmt.Sprintf("%d calls of the handler", calls)
	})
}

// The end of what was never there is not told.
func TestTheDeletionOfAnObjectNeverSeenIsNotTold(t *testing.T) {
	sideBySide(t, 11, "DELETED of an object that was never there", fakeapi.Options{}, func(b *bed) string {
		b.server.RewriteEvents(func(_ *http.Request, e fakeapi.Event) []fakeapi.Event {
			if e.Type == "ADDED" && strings.Contains(string(e.Object), `"never"`) {
				return nil
			}
			return []fakeapi.Event{e}
		})
		b.pod("a")
		b.start(setup{})
		b.pod("never")
		if _, err := b.server.Delete("pods", "default", "never"); err != nil {
			b.Fatal(err)
		}
		b.pass(time.Minute)
		n := len(b.seen("Deleted", 0))
		b.must(n == 0, "%v", b.seen("Deleted", 0))
		return fmt.Sprintf("%d calls of OnDelete", n)
	})
}

// A handler that is removed may get what waits for it first.
func TestARemovedHandlerGetsWhatWaitsForItWhereItWantsTo(t *testing.T) {
	sideBySide(t, 12, "a handler with 10 waiting events is removed", fakeapi.Options{}, func(b *bed) string {
		var began atomic.Bool
		release := make(chan struct{})
		b.pod("a")
		b.start(setup{handler: func(e event) {
			if e.kind == "Updated" && began.CompareAndSwap(false, true) {
				<-release
			}
		}})
		for range 11 {
			b.pod("a")
		}
		b.pass(time.Second)
		b.removeHandler()
		close(release)
		b.pass(time.Minute)
		n := len(b.seen("Updated", 0)) - 1
		b.must(n == 10, "%d of 10", n)
		return fmt.Sprintf("%d of the 10 are delivered", n)
	})
}

// A handler that panics spoils its own event and nothing else.
func TestAPanickingHandlerDoesNotKeepTheOthersFromSync(t *testing.T) {
	withoutCrash(t)
	sideBySide(t, 13, "the handler panics on an object of the first state (client-go: with ReallyCrash off; by default the process ends)", fakeapi.Options{}, func(b *bed) string {
		for i := range 3 {
			b.pod(fmt.Sprintf("pod-%d", i))
		}
		b.start(setup{late: true, handler: func(e event) {
			if e.kind == "Added" && e.key == "default/pod-1" {
				panic("no")
			}
		}})
		d, ok := b.within(time.Hour, b.peer.handlerSynced)
		b.must(ok && d < time.Second, "the handler was synced %s", took(d, ok))
		b.pod("pod-2")
		b.pass(time.Minute)
		calls := len(b.seen("", 0))
		b.must(calls == 4, "%d calls, want 3 Added and 1 Updated", calls)
		if b.ours {
			if s := b.informer().Status(); s.Panics != 1 || b.informer().Healthy(0) == nil {
				b.Errorf("Status says %d panics and Healthy %v", s.Panics, b.informer().Healthy(0))
			}
		}
		return fmt.Sprintf("the handler is synced %s; %d of its 4 events are delivered", took(d, ok), calls)
	})
}
