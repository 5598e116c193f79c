package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/conformance/cluster"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
)

const (
	asPartials = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	asPartial  = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
)

// item is an object of a list as encoding/json sees it.
type item struct {
	APIVersion, Kind string
	Metadata         struct{ Namespace, Name, UID, ResourceVersion string }
}

// Every collection the server has is read as encoding/json reads it: identity
// of each object, its bytes, and the list's version.
func TestListReadsEveryCollection(t *testing.T) {
	c := sharedCluster(t)
	w := witness(t, c)
	client := newClient(t, configFor(c, cluster.AdminToken))
	found, err := rest.Discover(cluster.Deadline(t, 30*time.Second), client)
	if err != nil {
		t.Fatal(err)
	}
	collections, objects := 0, 0
	for r := range found.All() {
		if !r.Can("list") || r.Resource == rest.ComponentStatuses { // probes of long ago: neither the list nor its objects have versions
			continue
		}
		for _, o := range []listwatch.Options{
			{Resource: r.Resource},
			{Resource: r.Resource, PageSize: 3},
			{Resource: r.Resource, Gzip: true, PageSize: -1},
			{Resource: r.Resource, Accept: asPartials},
		} {
			objects += compareList(t, w, client, o)
		}
		collections++
	}
	t.Logf("%d collections, %d objects", collections, objects)
	if collections < 50 || objects < 500 {
		t.Errorf("the test shows too little")
	}
}

// compareList lists once with the library between two lists of the witness,
// and anew when those are not alike: some objects are renewed all the time.
func compareList(t *testing.T, w *cluster.Client, client *rest.Client, o listwatch.Options) int {
	t.Helper()
	for range 10 {
		before := witnessList(t, w, o)
		differences := listDifferences(t, client, o, before)
		if after := witnessList(t, w, o); !slices.EqualFunc(before, after, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			continue
		}
		for _, d := range differences {
			t.Errorf("%v: %s", o.Resource, d)
		}
		return len(before)
	}
	t.Errorf("%v never stands still", o.Resource)
	return 0
}

func witnessList(t *testing.T, w *cluster.Client, o listwatch.Options) []json.RawMessage {
	t.Helper()
	header := http.Header{}
	if o.Accept != "" {
		header.Set("Accept", o.Accept)
	}
	response, err := w.Do(cluster.Deadline(t, 30*time.Second), "GET", o.Resource.Path("", ""), header, nil)
	if err != nil || response.Code != 200 {
		t.Fatalf("%v %d %v", o.Resource, response.Code, err)
	}
	var whole struct{ Items []json.RawMessage }
	if err := json.Unmarshal(response.Body, &whole); err != nil {
		t.Fatal(err)
	}
	return whole.Items
}

func listDifferences(t *testing.T, client *rest.Client, o listwatch.Options, want []json.RawMessage) (differences []string) {
	t.Helper()
	i, version := 0, ""
	for e, err := range listwatch.List(cluster.Deadline(t, 30*time.Second), client, o) {
		if err != nil {
			t.Fatalf("%v: %v", o.Resource, err)
		}
		switch e.Kind {
		case listwatch.ReplaceItem:
			if i < len(want) {
				differences = append(differences, itemDifferences(t, want[i], e)...)
			}
			i++
		case listwatch.ReplaceEnd:
			version = e.Version
		case listwatch.Problem, listwatch.ReplaceAbort:
			differences = append(differences, fmt.Sprint(e.Kind, e.Err))
		}
	}
	if i != len(want) || version == "" {
		differences = append(differences, fmt.Sprintf("%d objects at %q, want %d", i, version, len(want)))
	}
	return differences
}

func itemDifferences(t *testing.T, want json.RawMessage, e *listwatch.Event) (differences []string) {
	t.Helper()
	if !bytes.Equal(want, e.Object) {
		differences = append(differences, fmt.Sprintf("the object's bytes are\n%s\nencoding/json says\n%s", e.Object, want))
	}
	var i item
	if err := json.Unmarshal(want, &i); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%s/%s %s %s", e.Identity.Namespace, e.Identity.Name, e.Identity.UID, e.Identity.ResourceVersion)
	if wanted := fmt.Sprintf("%s/%s %s %s", i.Metadata.Namespace, i.Metadata.Name, i.Metadata.UID, i.Metadata.ResourceVersion); got != wanted {
		differences = append(differences, fmt.Sprintf("identity %s, want %s", got, wanted))
	}
	if i.Kind != "" && (string(e.Identity.Kind) != i.Kind || string(e.Identity.APIVersion) != i.APIVersion) {
		differences = append(differences, fmt.Sprintf("identity %s %s, want %s %s", e.Identity.APIVersion, e.Identity.Kind, i.APIVersion, i.Kind))
	}
	return differences
}

// What a watch yields is, byte for byte, what the same watch sends to
// net/http: built-in and custom resources, with selectors, in other shapes,
// compressed.
func TestWatchYieldsTheServersBytes(t *testing.T) {
	t.Parallel()
	c := sharedCluster(t)
	w := witness(t, c)
	ns := namespace(t, w, "bytes")
	maps := cluster.NewWriter(w, "/api/v1", "configmaps")
	ctx := cluster.Deadline(t, 60*time.Second)
	create := func(name, labels string) {
		if _, err := maps.Create(ctx, ns, fmt.Appendf(nil, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":%q,"labels":{%s}},"data":{"text":"<&> \u2028 é 😀 \"\\"}}`, name, labels)); err != nil {
			t.Fatal(err)
		}
	}
	create("first", `"app":"x"`)
	start := maps.History()[0].ResourceVersion
	for i := range 40 {
		create(fmt.Sprintf("m-%d", i), fmt.Sprintf(`"app":"%c"`, 'x'+i%2))
		if _, err := maps.Patch(ctx, ns, fmt.Sprintf("m-%d", i), fmt.Appendf(nil, `{"metadata":{"labels":{"app":"%c"}},"data":{"n":"%d"}}`, 'x'+i%3, i)); err != nil {
			t.Fatal(err)
		}
		if i%4 == 3 {
			if _, err := maps.Delete(ctx, ns, fmt.Sprintf("m-%d", i-1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	watchList := true
	for name, o := range map[string]listwatch.Options{
		"all namespaces":   {List: rest.ListOptions{ResourceVersion: start}},
		"one namespace":    {Namespace: ns, List: rest.ListOptions{ResourceVersion: start}},
		"label selector":   {Namespace: ns, List: rest.ListOptions{ResourceVersion: start, LabelSelector: "app in (x,y)"}},
		"field selector":   {Namespace: ns, List: rest.ListOptions{ResourceVersion: start, FieldSelector: "metadata.name=m-3"}},
		"metadata":         {Namespace: ns, List: rest.ListOptions{ResourceVersion: start}, Accept: asPartial},
		"state first":      {Namespace: ns, List: rest.ListOptions{ResourceVersion: "0"}},
		"watch-list":       {Namespace: ns, List: rest.ListOptions{SendInitialEvents: &watchList, ResourceVersionMatch: rest.MatchNotOlderThan, AllowWatchBookmarks: true}},
		"watch-list, gzip": {Namespace: ns, List: rest.ListOptions{SendInitialEvents: &watchList, ResourceVersionMatch: rest.MatchNotOlderThan, AllowWatchBookmarks: true}, Gzip: true},
		"nothing":          {Namespace: "nowhere", List: rest.ListOptions{ResourceVersion: start}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Resource = rest.ConfigMaps
			o.List.TimeoutSeconds = 2
			o.List.Watch = true
			compareWatch(t, c, o)
		})
	}
}

func compareWatch(t *testing.T, c *cluster.Cluster, o listwatch.Options) {
	header := http.Header{}
	if o.Accept != "" {
		header.Set("Accept", o.Accept)
	}
	ctx := cluster.Deadline(t, 30*time.Second)
	response, err := witness(t, c).Do(ctx, "GET", o.Resource.Path(o.Namespace, "")+"?"+o.List.Query().Encode(), header, nil)
	if err != nil || response.Code != 200 {
		t.Fatalf("%v %v", response, err)
	}
	want := strings.SplitAfter(string(response.Body), "\n")
	want = want[:len(want)-1]
	var got []string
	var end error
	for e, err := range listwatch.Watch(ctx, newClient(t, configFor(c, cluster.AdminToken)), o) {
		if err != nil {
			end = err
			break
		}
		got = append(got, string(e.Raw)+"\n")
	}
	if !errors.Is(end, io.EOF) {
		t.Errorf("ended with %v, want the server's own end", end)
	}
	if o.List.SendInitialEvents != nil { // of the state, in no order
		want, got = sorted(want), sorted(got)
	}
	if d := cmp.Diff(withoutTimed(want), withoutTimed(got)); d != "" {
		t.Errorf("(- net/http, + Watch)\n%.3000s", d)
	}
	if len(want) == 0 && o.Namespace != "nowhere" {
		t.Error("nothing was sent: the test shows nothing")
	}
}

// withoutTimed leaves out bookmarks but the marker: they come when they come.
func withoutTimed(lines []string) []string {
	var kept []string
	for _, line := range lines {
		if !strings.HasPrefix(line, `{"type":"BOOKMARK"`) {
			kept = append(kept, line)
		}
	}
	return kept
}

// A version that the server has not reached is refused by a list, and by a
// watch-list, but a plain watch from it is silent: nothing may be concluded
// from that silence.
func TestVersionsAheadOfTheServer(t *testing.T) {
	t.Parallel()
	c := sharedCluster(t)
	client := newClient(t, configFor(c, cluster.AdminToken))
	ahead := rest.ListOptions{ResourceVersion: "999999999", TimeoutSeconds: 2}
	ctx := cluster.Deadline(t, 30*time.Second)
	t.Run("list", func(t *testing.T) {
		t.Parallel()
		_, err := client.Do(ctx, rest.Request{Path: rest.Pods.Path("", ""), Query: ahead.Query()})
		if !status.IsTooLargeResourceVersion(err) {
			t.Error(err)
		}
		if delay, ok := status.RetryAfter(err); !ok || delay != time.Second {
			t.Errorf("retry after %v %v, want 1s", delay, ok)
		}
	})
	for name, initial := range map[string]bool{"watch": false, "watch-list": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := listwatch.Options{Resource: rest.Pods, List: ahead}
			if initial {
				o.List.SendInitialEvents, o.List.ResourceVersionMatch, o.List.AllowWatchBookmarks = &initial, rest.MatchNotOlderThan, true
			}
			var events []string
			var end error
			for e, err := range listwatch.Watch(ctx, client, o) {
				if end = err; err == nil {
					events = append(events, e.Kind.String())
				}
			}
			if len(events) > 0 {
				t.Errorf("events: %v", events)
			}
			if initial && !status.IsTooLargeResourceVersion(end) {
				t.Errorf("ended with %v, want too large a version", end)
			}
			if !initial && !errors.Is(end, io.EOF) {
				t.Errorf("ended with %v, want the server's end after 2 s", end)
			}
		})
	}
}
