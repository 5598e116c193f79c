package informer

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

func TestRawHandleIsWhatTheServerSent(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		made := k.put("a", "n1", "app=web")
		i := New(k.client, rest.Pods, watchdecoder.RawObject(), Options{})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		raw, _ := i.Get(podKey("a"))
		var got, want any
		if json.Unmarshal(raw, &got) != nil || json.Unmarshal(made.JSON, &want) != nil || cmp.Diff(want, got) != "" {
			k.Errorf("raw = %s", raw)
		}
		web := i.Lister().List(func(_ Key, raw watchdecoder.Raw) bool {
			for key, value := range watchdecoder.Labels(raw) {
				if string(key) == "app" && string(value) == "web" {
					return true
				}
			}
			return false
		})
		if len(web) != 1 {
			k.Error("a label selector is a predicate on the bytes")
		}
	})
}

func TestRawBytesOutliveTheEvent(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := New(k.client, rest.Pods, watchdecoder.RawObject(), Options{})
		var kept, copies [][]byte
		sub := i.Subscribe(Handler[watchdecoder.Raw]{OnEvent: func(e Event[watchdecoder.Raw]) {
			kept, copies = append(kept, e.New), append(copies, bytes.Clone(e.New))
		}})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		for n := range 100 {
			k.put("a", strings.Repeat("x", n))
		}
		settle()
		if len(kept) != 100 || cmp.Diff(copies, kept) != "" {
			k.Error("bytes that a handler kept have changed")
		}
	})
}

func TestLazyHandleDecodesAtEachCall(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := New(k.client, rest.Pods, watchdecoder.LazyObject[pod](), Options{})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		lazy, _ := i.Get(podKey("a"))
		first, err := lazy.Decode()
		if err != nil || first.Spec.NodeName != "n1" {
			k.Fatalf("Decode = %v, %v", first, err)
		}
		if second, _ := lazy.Decode(); second == first {
			k.Error("the result is shared")
		}
	})
}

func TestMetadataHandleAsksForMetadataOnly(t *testing.T) {
	for name, o := range map[string]Options{"watch-list": {}, "list": {Reflector: listOnly}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, fakeapi.Options{}, func(k *kit) {
				made := k.put("a", "n1", "app=web")
				i := New(k.client, rest.Pods, watchdecoder.MetadataObject(), o)
				stop := run(k, i)
				defer stop()
				synced(k, i)
				settle()
				m, _ := i.Get(podKey("a"))
				if m == nil || m.Name != "a" || string(m.UID) != made.UID || m.Labels["app"] != "web" {
					k.Fatalf("metadata = %+v", m)
				}
				for _, r := range k.Requests() {
					want := "as=PartialObjectMetadata;"
					if r.Verb == "list" {
						want = "as=PartialObjectMetadataList;"
					}
					if accept := r.Header.Get("Accept"); !strings.Contains(accept, want) {
						k.Errorf("%s asks for %q", r.Verb, accept)
					}
				}
				k.put("a", "n2", "app=db")
				settle()
				if m, _ := i.Get(podKey("a")); m.Labels["app"] != "db" {
					k.Errorf("metadata = %+v", m)
				}
			})
		})
	}
}

func TestCustomResourceAsRawAndAsAStruct(t *testing.T) {
	widgets := fakeapi.Resource{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true}
	type widget struct {
		Spec struct{ Size int64 } `json:"spec"`
	}
	bubble(t, fakeapi.Options{Resources: []fakeapi.Resource{widgets}}, func(k *kit) {
		k.Create("widgets.example.com", `{"metadata":{"namespace":"default","name":"w"},"spec":{"Size":9007199254740993}}`)
		resource := rest.Resource{Group: "example.com", Version: "v1", Resource: "widgets", Namespaced: true}
		typed := New(k.client, resource, watchdecoder.JSON[widget](), Options{Reflector: listOnly})
		raw := New(k.client, resource, watchdecoder.RawObject(), Options{})
		defer run(k, typed)()
		defer run(k, raw)()
		synced(k, typed)
		synced(k, raw)
		if w, _ := typed.Get(podKey("w")); w == nil || w.Spec.Size != 9007199254740993 {
			k.Errorf("widget = %+v", w)
		}
		if raw.Store().Len() != 1 {
			k.Error("no raw widget")
		}
	})
}

func TestIndexesBeforeAndAfterTheStart(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1", "app=web", "tier=front")
		k.put("b", "n1", "app=db")
		i := k.pods(Options{})
		byNode := AddIndex(i, func(p *pod, dst []string) []string { return append(dst, p.Spec.NodeName) })
		stop := run(k, i)
		defer stop()
		synced(k, i)
		byLabel, err := AddNamedIndex(i, "label", func(p *pod, dst []string) []string {
			for _, value := range p.Metadata.Labels {
				dst = append(dst, value)
			}
			return dst
		})
		if err != nil {
			k.Fatal(err)
		}
		if _, err := AddNamedIndex(i, "label", func(*pod, []string) []string { return nil }); err == nil {
			k.Error("two indexes of one name")
		}
		names := func(all func(func(Key, *pod) bool)) (found []string) {
			for key := range all {
				found = append(found, key.Name)
			}
			return sorted(found)
		}
		if diff := cmp.Diff([]string{"a", "b"}, names(byNode.Get("n1"))); diff != "" {
			k.Error(diff)
		}
		if diff := cmp.Diff([]string{"a"}, names(byLabel.Get("front"))); diff != "" {
			k.Error(diff)
		}
		before := i.Snapshot()
		defer before.Close()
		k.put("a", "n2", "app=web")
		settle()
		if got := names(byNode.Get("n2")); !slices.Equal(got, []string{"a"}) || len(names(byLabel.Get("front"))) != 0 {
			k.Errorf("after the change: %v", got)
		}
		if got := names(byNode.In(before, "n1")); !slices.Equal(got, []string{"a", "b"}) {
			k.Errorf("the snapshot has moved on: %v", got)
		}
		found, err := i.Store().Lookup("label", "db")
		if err != nil || !slices.Equal(names(found), []string{"b"}) {
			k.Errorf("by name: %v", err)
		}
	})
}

func TestIndexThatPanicsIsAProblemOfThatObject(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("bad", "n1")
		k.put("good", "n1")
		i := k.pods(Options{})
		byNode := AddIndex(i, func(p *pod, dst []string) []string {
			if p.Metadata.Name == "bad" {
				panic("no")
			}
			return append(dst, p.Spec.NodeName)
		})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		settle()
		n := 0
		for range byNode.Get("n1") {
			n++
		}
		if s := i.Status(); n != 1 || i.Store().Len() != 2 || s.Problems["index"] != 1 || len(s.Stale) != 0 {
			k.Errorf("%d in the index, Status = %+v", n, s)
		}
	})
}

func TestListerAndItsNamespacedView(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("red/a", "n1")
		k.put("red/b", "n2")
		k.put("blue/a", "n3")
		i := k.pods(Options{})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		all, red := i.Lister(), i.Lister().Namespace("red")
		if p, ok := all.Get("blue/a"); !ok || p.Spec.NodeName != "n3" {
			k.Errorf("Get = %v", p)
		}
		if p, ok := red.Get("a"); !ok || p.Spec.NodeName != "n1" {
			k.Errorf("Get = %v", p)
		}
		for _, name := range []string{"a", "red/", "red/a/b", "green/a"} {
			if _, ok := all.Get(name); ok {
				k.Errorf("Get(%q) found something", name)
			}
		}
		if all.Len() != 3 || red.Len() != 2 || len(all.List(nil)) != 3 || i.Lister().Namespace("none").Len() != 0 {
			k.Errorf("Len = %d, %d", all.Len(), red.Len())
		}
		onN2 := red.List(func(_ Key, p *pod) bool { return p.Spec.NodeName == "n2" })
		if len(onN2) != 1 || onN2[0].Metadata.Name != "b" {
			k.Errorf("List = %v", onN2)
		}
	})
}
