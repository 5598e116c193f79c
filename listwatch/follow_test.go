package listwatch

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

type eventSeq = iter.Seq2[*Event, error]

func (k *kit) follow(o Options) {
	k.run(func(ctx context.Context) eventSeq { return Follow(ctx, k.client, o) })
	pass(10 * time.Millisecond)
}

func TestFollowYieldsTheDifferencesOfARelist(t *testing.T) {
	inBubble(t, fakeapi.Options{BookmarkInterval: -1}, func(k *kit) {
		k.at(99)
		for _, name := range []string{"changed", "gone", "reborn", "same"} {
			k.put(name, "1")
		}
		k.follow(k.options())
		k.want("the first state", "ReplaceBegin (Start)", "Added changed@100", "Added gone@101", "Added reborn@102", "Added same@103", "ReplaceEnd at 103")
		pass(130 * time.Second)
		k.api.CutConnections()
		k.put("changed", "2")
		k.delete("gone")
		k.delete("reborn")
		k.put("reborn", "1")
		k.put("new", "1")
		k.api.Compact()
		pass(3 * time.Second)
		k.want("what is different now", "ReplaceBegin (Expired)", "Modified changed@104", "Added new@108",
			"Deleted reborn@102 stale", "Added reborn@107", "Deleted gone@101 stale", "ReplaceEnd at 108")
		k.put("same", "2")
		k.delete("reborn")
		k.put("reborn", "2")
		k.want("changes go on", "Modified same@109", "Deleted reborn@110", "Added reborn@111")
	})
}

func TestFollowDoesNotRepeatItself(t *testing.T) {
	inBubble(t, fakeapi.Options{BookmarkInterval: -1, WatchList: fakeapi.WatchListUnmarked}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		k.follow(k.options())
		k.put("a", "2")
		pass(40 * time.Second) // the watch-list is given up, and a list shows the same
		k.put("a", "3")
		k.want("what the broken watch-list had shown was true", "ReplaceBegin (Start)", "Added a@100", "Modified a@101", "ReplaceAbort (Silent)",
			"ReplaceBegin (Start)", "ReplaceEnd at 101", "Modified a@102")
	})
}

// An API server sends each change once. A proxy may not.
func TestFollowDropsWhatItHasShown(t *testing.T) {
	inBubble(t, fakeapi.Options{BookmarkInterval: -1}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		k.api.RewriteEvents(func(r *http.Request, e fakeapi.Event) []fakeapi.Event { return []fakeapi.Event{e, e} })
		k.follow(k.options())
		k.put("a", "2")
		k.delete("a")
		k.want("twice is once, but for what is said of the unknown", "ReplaceBegin (Start)", "Added a@100", "ReplaceEnd at 100", "Bookmark at 100", "Modified a@101", "Deleted a@102", "Deleted a@102")
	})
}

func TestFollowShowsARestore(t *testing.T) {
	inBubble(t, fakeapi.Options{BookmarkInterval: -1}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		k.put("same", "1")
		backup := k.api.Snapshot()
		k.put("a", "2")
		k.follow(k.options())
		pass(20 * time.Second)
		k.want("the state", "ReplaceBegin (Start)", "Added a@102", "Added same@101", "ReplaceEnd at 102")
		k.api.Restore(backup)
		pass(3 * time.Second)
		k.want("nothing is skipped: versions of the old epoch mean nothing", "ReplaceBegin (Epoch)", "Modified a@100", "Modified same@101", "ReplaceEnd at 101")
	})
}

func TestFollowFromAVersionShowsOnlyWhatCameAfter(t *testing.T) {
	inBubble(t, fakeapi.Options{BookmarkInterval: -1}, func(k *kit) {
		k.at(99)
		k.put("a", "1")
		k.put("b", "1")
		o := k.options()
		o.List.ResourceVersion = "100"
		k.follow(o)
		k.delete("a")
		k.want("no list", "Added b@101", "Deleted a@102")
	})
}

func TestFollowHandlesEveryEvent(t *testing.T) {
	e := func(kind Kind, name, uid, version string) *Event {
		event := &Event{Kind: kind}
		event.Identity.Name, event.Identity.UID, event.Identity.ResourceVersion = []byte(name), []byte(uid), []byte(version)
		return event
	}
	for _, test := range []struct {
		why  string
		in   []*Event
		want []string
	}{
		{"deleted and created anew while nobody looked", []*Event{e(Added, "a", "u1", "1"), e(Modified, "a", "u2", "3")}, []string{"Added a@1", "Deleted a@1 stale", "Added a@3"}},
		{"an empty UID is no evidence", []*Event{e(Added, "a", "u1", "1"), e(Modified, "a", "", "3")}, []string{"Added a@1", "Modified a@3"}},
		{"an older state of the same object", []*Event{e(Added, "a", "u1", "5"), e(Modified, "a", "u1", "4"), e(Modified, "a", "u1", "5"), e(Modified, "a", "u1", "6")}, []string{"Added a@5", "Modified a@6"}},
		{"the deletion of one that came between", []*Event{e(Added, "a", "u1", "1"), e(Deleted, "a", "u2", "4")}, []string{"Added a@1", "Deleted a@1 stale"}},
		{"created and deleted inside a replace", []*Event{e(ReplaceBegin, "", "", ""), e(ReplaceRemove, "a", "u1", "4"), e(ReplaceEnd, "", "", "")}, []string{"ReplaceBegin ()", "ReplaceEnd at "}},
		{"known and deleted inside a replace", []*Event{e(Added, "a", "u1", "1"), e(ReplaceBegin, "", "", ""), e(ReplaceRemove, "a", "u1", "4"), e(ReplaceEnd, "", "", "")},
			[]string{"Added a@1", "ReplaceBegin ()", "Deleted a@4", "ReplaceEnd at "}},
		{"one that could not be read is not gone", []*Event{e(Added, "a", "u1", "1"), e(ReplaceBegin, "", "", ""), e(Problem, "a", "", ""), e(ReplaceEnd, "", "", "")},
			[]string{"Added a@1", "ReplaceBegin ()", "Problem a@ ()", "ReplaceEnd at "}},
	} {
		t.Run(test.why, func(t *testing.T) {
			for most := range len(test.want) + 1 { // the loop may be left anywhere
				var got []string
				f := newFollower(func(e *Event, err error) bool {
					got = append(got, line(e, err))
					return len(got) <= most
				})
				for _, in := range test.in {
					copied := *in
					if !f.take(&copied) {
						break
					}
				}
				wantLines(t, fmt.Sprint("left after ", most), got, test.want[:min(most+1, len(test.want))]...)
			}
		})
	}
}

func TestUntil(t *testing.T) {
	inBubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "1")
		seen := func(name string) func(*Event) (bool, error) {
			return func(e *Event) (bool, error) { return string(e.Identity.Name) == name, nil }
		}
		if err := Until(k.t.Context(), k.client, k.options(), seen("a")); err != nil {
			t.Error(err)
		}
		own := errors.New("own")
		if err := Until(k.t.Context(), k.client, k.options(), func(*Event) (bool, error) { return false, own }); err != own {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeoutCause(k.t.Context(), time.Hour, own)
		defer cancel()
		if err := Until(ctx, k.client, k.options(), seen("b")); err != own {
			t.Error(err)
		}
	})
}
