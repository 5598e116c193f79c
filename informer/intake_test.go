package informer

import (
	"testing"

	"github.com/rawwatch/rawwatch/fifo"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/store"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// What brings nothing new costs nothing: a relist of a hundred thousand unchanged objects is no work for the collector.
func TestWhatIsUnchangedDoesNotAllocate(t *testing.T) {
	i := New(nil, rest.Pods, watchdecoder.RawObject(), Options{})
	s := i.sources[0]
	change := store.Change[watchdecoder.Raw]{Key: Key{Namespace: "shop", Name: "web"}, UID: "u", ResourceVersion: "7"}
	if err := s.writer.Apply([]store.Change[watchdecoder.Raw]{change}, "7"); err != nil {
		t.Fatal(err)
	}
	object := watchdecoder.Identity{Namespace: []byte("shop"), Name: []byte("web"), UID: []byte("u"), ResourceVersion: []byte("7")}
	list := &listing[watchdecoder.Raw]{state: s.writer.Replace(), keep: true}
	for name, e := range map[string]listwatch.Event{
		"sent again":        {Kind: listwatch.Modified, Identity: object, Version: "7"},
		"item of a relist":  {Kind: listwatch.ReplaceItem, Identity: object},
		"a bookmark":        {Kind: listwatch.Bookmark, Identity: watchdecoder.Identity{ResourceVersion: []byte("8")}, Version: "8"},
		"in a watch-list's": {Kind: listwatch.Bookmark},
	} {
		s.list = nil
		if e.Kind == listwatch.ReplaceItem {
			s.list = list
		}
		if allocs := testing.AllocsPerRun(100, func() {
			if err := s.take(t.Context(), &e); err != nil {
				t.Fatal(err)
			}
			if s.queue.Len() == 0 {
				return
			}
			if err := s.queue.Process(t.Context(), 0, func(batch []fifo.Delta[*job[watchdecoder.Raw]]) error {
				if batch[0].Type != fifo.Bookmark || batch[0].ResourceVersion != e.Version {
					t.Errorf("%s: queued as %v at %q", name, batch[0].Type, batch[0].ResourceVersion)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}); allocs > 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
	if n := s.unchanged.Load(); n != 2*101 {
		t.Errorf("%d objects counted as unchanged, want 202", n)
	}
}
