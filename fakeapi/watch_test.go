package fakeapi

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestWatchGoesOnFromAVersion(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("pods", pod("a", ""))) // 2
		k.must(k.Create("pods", pod("b", ""))) // 3
		k.must(k.Create("secrets", pod("s", "")))
		w := k.watch("/api/v1/pods?watch=true&resourceVersion=2")
		w.want("what was missed", "ADDED b 3")
		k.must(k.Update("pods", pod("a", `"x":"1"`)))
		k.must(k.Delete("pods", "default", "b"))
		k.must(k.Create("pods", `{"metadata":{"name":"c","namespace":"other"}}`))
		w.want("what happens now", "MODIFIED a 5", "DELETED b 6", "ADDED c 7")
		k.CloseWatches()
		w.wantEnd("after CloseWatches", io.EOF)
	})
}

// A deletion shows the last state, at the version of the deletion.
func TestDeletedObjectsCarryTheVersionOfTheirDeletion(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("pods", pod("a", `"app":"x"`)))
		w := k.watch("/api/v1/pods?watch=1&resourceVersion=2")
		k.SetVersion(40)
		gone := k.must(k.Delete("pods", "default", "a"))
		want := `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"u-a","resourceVersion":"41","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"}}}`
		if f := w.next(); f.Type != "DELETED" || string(f.Object) != want || string(gone.JSON) != want {
			t.Errorf("got %s %s, returned %s", f.Type, f.Object, gone.JSON)
		}
	})
}

// From "" and "0" a watch begins with the state; with bookmarks it is a
// watch-list in all but name.
func TestWatchFromNowhereBeginsWithTheState(t *testing.T) {
	for _, query := range []string{"watch=1", "watch=1&resourceVersion=0"} {
		bubble(t, Options{}, func(k *kit) {
			k.must(k.Create("pods", pod("b", "")))
			k.must(k.Create("pods", pod("a", "")))
			plain, marked := k.watch("/api/v1/pods?"+query), k.watch("/api/v1/pods?allowWatchBookmarks=true&"+query)
			k.must(k.Delete("pods", "default", "a"))
			plain.want(query, "ADDED a 3", "ADDED b 2", "DELETED a 4")
			marked.want(query, "ADDED a 3", "ADDED b 2", "BOOKMARK+ 3", "DELETED a 4")
		})
	}
}

// KEP-3157.
func TestWatchList(t *testing.T) {
	const query = "/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("pods", pod("a", "")))
		k.must(k.Create("pods", pod("b", "")))
		k.SetVersion(9)
		for _, v := range []string{"", "0", "2", "9"} {
			w := k.watch(query + "&allowWatchBookmarks=true&resourceVersion=" + v)
			w.want("from "+v, "ADDED a 2", "ADDED b 3", "BOOKMARK+ 9")
		}
		k.watch(query).want("without bookmarks there is no marker", "ADDED a 2", "ADDED b 3")
		none := k.watch("/api/v1/pods?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0")
		k.must(k.Create("pods", pod("c", "")))
		none.want("sendInitialEvents=false from 0 begins now", "ADDED c 10")
		since := k.watch("/api/v1/pods?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=2")
		since.want("and from a version there", "ADDED b 3", "ADDED c 10")
	})
}

func TestMarkerIsABlankObject(t *testing.T) {
	bubble(t, Options{Resources: []Resource{widgets}}, func(k *kit) {
		for path, want := range map[string]string{
			"/api/v1/pods":                 `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"containers":null},"status":{}}`,
			"/api/v1/configmaps":           `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}}}`,
			"/apis/example.com/v1/widgets": `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"resourceVersion":"1"}}`,
		} {
			w := k.watch(path + "?watch=1&allowWatchBookmarks=1")
			if f := w.next(); f.Type != "BOOKMARK" || string(f.Object) != want {
				t.Errorf("%s: %s %s", path, f.Type, f.Object)
			}
		}
	})
}

func TestWatchListModes(t *testing.T) {
	const query = "/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=100"
	run := func(mode WatchListMode, test func(k *kit)) {
		bubble(t, Options{WatchList: mode}, func(k *kit) {
			k.must(k.Create("pods", pod("a", "")))
			test(k)
		})
	}
	run(WatchListRefused, func(k *kit) {
		k.wantStatus("refused", k.get(query), 422, "Invalid", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")
		w := k.watch("/api/v1/pods?watch=1&allowWatchBookmarks=true&timeoutSeconds=100")
		w.want("an old watch has no marker", "ADDED a 2", "BOOKMARK 2", "BOOKMARK 2")
	})
	run(WatchListIgnored, func(k *kit) {
		w := k.watch(query)
		w.want("ignored", "ADDED a 2", "BOOKMARK 2", "BOOKMARK 2")
		w.wantEnd("ignored", io.EOF)
		k.SetVersion(7)
		k.watch(query+"&resourceVersion=2").want("ignored: from a version it is a plain watch", "BOOKMARK 7")
	})
	run(WatchListUnmarked, func(k *kit) {
		w := k.watch(query)
		w.want("unmarked", "ADDED a 2", "BOOKMARK 2", "BOOKMARK 2")
		k.must(k.Create("pods", pod("b", "")))
	})
	run(WatchListSilent, func(k *kit) {
		w := k.watch(query)
		k.must(k.Create("pods", pod("b", "")))
		if lasted := took(func() { w.wantEnd("silent", io.EOF) }); lasted != 100*time.Second {
			t.Errorf("silent for %v", lasted)
		}
		k.watch("/api/v1/pods?watch=1&resourceVersion=2").want("other watches are served", "ADDED b 3")
	})
}

func TestWatchRules(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		for query, message := range map[string]string{
			"sendInitialEvents=true": "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
			"sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1":                `[resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]`,
			"resourceVersionMatch=NotOlderThan":                                                  "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
			"resourceVersionMatch=NotOlderThan&sendInitialEvents=true&continue=x":                "resourceVersionMatch is forbidden when continue is provided",
			"resourceVersionMatch=NotOlderThan&sendInitialEvents=false&continue=x":               "resourceVersionMatch is forbidden when continue is provided",
			"sendInitialEvents=false":                                                            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
			"resourceVersionMatch=NotOlderThan&resourceVersion=0&sendInitialEvents=0&continue=x": "forbidden when continue",
		} {
			k.wantStatus(query, k.get("/api/v1/pods?watch=1&"+query), 422, "Invalid", message)
		}
		k.wantStatus("no version at all", k.get("/api/v1/pods?watch=1&resourceVersion=x"), 500, "", `resourceVersion: Invalid value: "x"`)
		k.wantStatus("a number that is none", k.get("/api/v1/pods?watch=1&timeoutSeconds=x"), 400, "BadRequest", "invalid syntax")
	})
}

// The head of a watch that is let in is sent before it is looked at whether
// the watch can start.
func TestCompactedVersionIsGone(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("pods", pod("a", "")))
		k.SetVersion(7)
		k.Compact()
		w := k.watch("/api/v1/pods?watch=1&resourceVersion=6")
		w.want("compacted", "ERROR 410 too old resource version: 6 (7)")
		w.wantEnd("compacted", io.EOF)
		k.must(k.Create("pods", pod("b", "")))
		k.watch("/api/v1/pods?watch=1&resourceVersion=7").want("the version of the compaction itself", "ADDED b 8")
	})
	bubble(t, Options{GoneStatus: true}, func(k *kit) {
		k.SetVersion(7)
		k.Compact()
		k.wantStatus("as a status", k.get("/api/v1/pods?watch=1&resourceVersion=6"), 410, "Expired", "too old resource version: 6 (7)")
	})
}

func TestCompactionLeavesOpenWatchesAlone(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		w := k.watch("/api/v1/pods?watch=1&resourceVersion=1")
		for i := range 100 {
			k.must(k.Create("pods", pod(fmt.Sprint("p", i), "")))
			k.Compact()
		}
		for i := range 100 {
			w.want("across compactions", fmt.Sprintf("ADDED p%d %d", i, i+2))
		}
	})
}

func TestHistoryIsBounded(t *testing.T) {
	bubble(t, Options{History: 3}, func(k *kit) {
		for i := range 5 {
			k.must(k.Create("pods", pod(fmt.Sprint("p", i), ""))) // 2 to 6
		}
		k.watch("/api/v1/pods?watch=1&resourceVersion=3").want("within", "ADDED p2 4", "ADDED p3 5", "ADDED p4 6")
		k.watch("/api/v1/pods?watch=1&resourceVersion=2").want("before", "ERROR 410 too old resource version: 2 (3)")
		k.wantStatus("an exact list before", k.get("/api/v1/pods?resourceVersion=2&resourceVersionMatch=Exact"), 410, "Expired", "")
		if l := k.list("/api/v1/pods?resourceVersion=3&resourceVersionMatch=Exact"); l.names() != "p0 p1" {
			t.Errorf("an exact list within: %q", l.names())
		}
	})
}

// A plain watch from a version ahead of the server is accepted and silent,
// bookmarks included, until the server gets there; a watch-list is refused.
func TestWatchAheadOfTheServer(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		w := k.watch("/api/v1/pods?watch=1&resourceVersion=5&allowWatchBookmarks=1")
		k.must(k.Create("pods", pod("a", ""))) // 2
		time.Sleep(10 * time.Minute)
		k.SetVersion(4)
		k.must(k.Create("pods", pod("b", ""))) // 5
		k.must(k.Create("pods", pod("c", ""))) // 6
		w.want("after the version", "ADDED c 6", "BOOKMARK 6")

		began := time.Now()
		list := k.watch("/api/v1/pods?watch=1&resourceVersion=50&allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan")
		if waited := time.Since(began); waited != 3*time.Second {
			t.Errorf("a watch-list waited %v", waited)
		}
		list.want("refused in the stream", "ERROR 504 Timeout: Too large resource version: 50, current: 6")
		list.wantEnd("refused", io.EOF)
	})
}

func TestWatchTimesOut(t *testing.T) {
	bubble(t, Options{BookmarkInterval: -1}, func(k *kit) {
		if lasted := took(func() { k.watch("/api/v1/pods?watch=1&timeoutSeconds=7").wantEnd("", io.EOF) }); lasted != 7*time.Second {
			t.Errorf("timeoutSeconds=7 lasted %v", lasted)
		}
		past := k.watch("/api/v1/pods?watch=1&timeoutSeconds=-5")
		past.want("a time that is past", "ERROR 500 context deadline exceeded")
		past.wantEnd("a time that is past", io.EOF)
		var all []time.Duration
		for range 20 {
			lasted := took(func() { k.watch("/api/v1/pods?watch=1&timeoutSeconds=0").wantEnd("", io.EOF) })
			if lasted < 30*time.Minute || lasted > time.Hour {
				t.Errorf("without timeoutSeconds it lasted %v", lasted)
			}
			all = append(all, lasted)
		}
		if all[0] == all[1] && all[1] == all[2] {
			t.Errorf("%v is not random", all)
		}
	})
	bubble(t, Options{WatchTimeout: -1}, func(k *kit) {
		w := k.watch("/api/v1/pods?watch=1&resourceVersion=1")
		time.Sleep(1000 * time.Hour)
		k.must(k.Create("pods", pod("a", "")))
		w.want("never ends", "ADDED a 2")
	})
}

func TestBookmarks(t *testing.T) {
	bubble(t, Options{BookmarkInterval: 10 * time.Second}, func(k *kit) {
		began := time.Now()
		w := k.watch("/api/v1/pods?watch=1&resourceVersion=1&allowWatchBookmarks=1&timeoutSeconds=25")
		quiet := k.watch("/api/v1/pods?watch=1&resourceVersion=1&timeoutSeconds=25")
		at := func(d time.Duration) string { return fmt.Sprint(time.Since(began) == d) }
		w.want("nothing happened", "BOOKMARK 1")
		if at(10*time.Second) != "true" {
			t.Errorf("the first came after %v", time.Since(began))
		}
		k.must(k.Create("secrets", pod("s", ""))) // 2: another resource
		w.want("elsewhere something did", "BOOKMARK 2")
		k.SetVersion(5)
		k.must(k.Create("pods", pod("a", ""))) // 6
		w.want("a change is a version too", "ADDED a 6", "BOOKMARK 6")
		if at(23*time.Second) != "true" {
			t.Errorf("the last came after %v, want 2 s before the deadline", time.Since(began))
		}
		w.wantEnd("at the deadline", io.EOF)
		quiet.want("unasked there are none", "ADDED a 6")
		quiet.wantEnd("unasked there are none", io.EOF)
	})
	bubble(t, Options{}, func(k *kit) {
		w := k.watch("/api/v1/pods?watch=1&resourceVersion=1&allowWatchBookmarks=1&timeoutSeconds=1")
		if lasted := took(func() { w.wantEnd("too short for any", io.EOF) }); lasted != time.Second {
			t.Errorf("lasted %v", lasted)
		}
		now := k.watch("/api/v1/pods?watch=1&resourceVersion=1&allowWatchBookmarks=1")
		k.SetVersion(3)
		if waited := took(func() { k.Bookmark(); now.want("on request", "BOOKMARK 3") }); waited != 0 {
			t.Errorf("Bookmark took %v", waited)
		}
	})
	bubble(t, Options{BookmarkInterval: -1}, func(k *kit) {
		w := k.watch("/api/v1/pods?watch=1&allowWatchBookmarks=1&timeoutSeconds=600")
		w.want("off means the marker alone", "BOOKMARK+ 1")
		w.wantEnd("off", io.EOF)
	})
}

// To a watch with a selector an object that moves into it is new, and one
// that moves out is gone, in its last state inside.
func TestSelectorsTurnMovesIntoAddsAndDeletes(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		w := k.watch("/api/v1/namespaces/default/pods?watch=1&resourceVersion=1&labelSelector=app%3Dx")
		f := k.watch("/api/v1/pods?watch=1&resourceVersion=1&fieldSelector=status.phase%3DRunning")
		single := k.watch("/api/v1/watch/namespaces/default/pods/a?resourceVersion=1")
		k.must(k.Create("pods", pod("a", "")))
		k.must(k.Update("pods", pod("a", `"app":"x"`)))
		k.must(k.Update("pods", pod("a", `"app":"x","v":"2"`)))
		k.must(k.Update("pods", pod("a", `"app":"y"`)))
		k.must(k.Create("pods", `{"metadata":{"namespace":"other","name":"b","labels":{"app":"x"}},"status":{"phase":"Running"}}`))
		k.must(k.Update("pods", `{"metadata":{"namespace":"other","name":"b"},"status":{"phase":"Failed"}}`))
		k.must(k.Delete("pods", "default", "a"))
		k.must(k.Create("pods", pod("c", `"app":"x"`)))
		w.want("labels", "ADDED a 3", "MODIFIED a 4")
		out := w.next()
		if out.String() != "DELETED a 5" || !strings.Contains(string(out.Object), `"labels":{"app":"x","v":"2"}`) {
			t.Errorf("moved out: %v %s", out, out.Object)
		}
		w.want("labels", "ADDED c 9")
		f.want("fields", "ADDED b 6", "DELETED b 7")
		single.want("the old path of one object", "ADDED a 2", "MODIFIED a 3", "MODIFIED a 4", "MODIFIED a 5", "DELETED a 8")
		k.wantStatus("it takes no other name", k.get("/api/v1/watch/namespaces/default/pods/a?fieldSelector=metadata.name%3Db"), 400, "BadRequest", "fieldSelector metadata.name doesn't match requested name")
	})
}

// A watch whose client does not read is ended, as the real cache ends it,
// rather than let it hold up others or grow without bound.
func TestSlowWatchIsEnded(t *testing.T) {
	bubble(t, Options{WatchBuffer: 10, DialBuffer: 4 << 10}, func(k *kit) {
		slow := k.watch("/api/v1/pods?watch=1&resourceVersion=1")
		quick := k.watch("/api/v1/pods?watch=1&resourceVersion=1")
		const total = 100
		go func() {
			for i := range total {
				k.must(k.Create("pods", pod(fmt.Sprint("p", i), "")))
				synctest.Wait()
			}
		}()
		for i := range total {
			quick.want("a client that reads", fmt.Sprintf("ADDED p%d %d", i, i+2))
		}
		n := 0
		for ; ; n++ {
			var f frame
			if err := slow.d.Decode(&f); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("ADDED p%d %d", n, n+2); f.String() != want {
				t.Fatalf("the slow watch got %v, want %s: a gap", f, want)
			}
		}
		if n == 0 || n >= total {
			t.Errorf("the slow watch got %d of %d events", n, total)
		}
	})
}

func TestWaysForAWatchToEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(k *kit)
		want error
	}{
		{"CloseWatches", func(k *kit) { k.CloseWatches() }, io.EOF},
		{"ExpireWatches", func(k *kit) { k.ExpireWatches() }, io.EOF},
		{"Shutdown", func(k *kit) { go k.Shutdown(k.Context()) }, io.EOF},
		{"CutConnections", func(k *kit) { k.CutConnections() }, io.ErrUnexpectedEOF},
		{"Close", func(k *kit) { k.Close() }, io.ErrUnexpectedEOF},
		{"Restore", func(k *kit) { k.Restore(k.Snapshot()) }, io.ErrUnexpectedEOF},
	} {
		bubble(t, Options{}, func(k *kit) {
			k.must(k.Create("pods", pod("a", "")))
			w := k.watch("/api/v1/pods?watch=1")
			silent := k.watch("/api/v1/pods?watch=1&resourceVersion=2")
			w.want(c.name, "ADDED a 2")
			synctest.Wait()
			c.end(k)
			w.wantEnd(c.name, c.want)
			silent.wantEnd(c.name, c.want)
			synctest.Wait()
			if open := k.Watches(); len(open) > 0 {
				t.Errorf("%s: still open: %v", c.name, open)
			}
		})
	}
}

// What happened before a clean end is still told.
func TestChangesBeforeACleanEndAreSent(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		w := k.watch("/api/v1/pods?watch=1&resourceVersion=1")
		k.must(k.Create("pods", pod("a", "")))
		k.CloseWatches()
		k.must(k.Create("pods", pod("b", "")))
		w.want("the change before", "ADDED a 2")
		w.wantEnd("but not the one after", io.EOF)
	})
}

func TestExpiredWatchesCannotResume(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("pods", pod("a", "")))
		k.watch("/api/v1/pods?watch=1&allowWatchBookmarks=1").want("", "ADDED a 2", "BOOKMARK+ 2")
		k.ExpireWatches()
		k.watch("/api/v1/pods?watch=1&resourceVersion=2").want("from the newest version seen", "ERROR 410 too old resource version: 2 (3)")
		k.watch("/api/v1/pods?watch=1&resourceVersion=3").wantIdle("from a relist")
	})
}

func TestWatchesAreListed(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		began := time.Now()
		k.must(k.Create("pods", pod("a", "")))
		w := k.watch("/api/v1/namespaces/default/pods?watch=1&resourceVersion=1&timeoutSeconds=60")
		w.want("", "ADDED a 2")
		time.Sleep(time.Second)
		k.watch("/api/v1/nodes?watch=1")
		open := k.Watches()
		if len(open) != 2 || open[0].Resource != "pods" || open[0].Namespace != "default" || open[0].Version != 2 ||
			!open[0].Started.Equal(began) || open[0].Query.Get("timeoutSeconds") != "60" || open[1].Resource != "nodes" {
			t.Errorf("got %+v", open)
		}
		time.Sleep(time.Minute)
		if open := k.Watches(); len(open) != 1 {
			t.Errorf("after its timeout: %+v", open)
		}
	})
}

// An etcd that was restored issues versions a second time, with other content.
func TestRestoreGoesBack(t *testing.T) {
	bubble(t, Options{Resources: []Resource{widgets}}, func(k *kit) {
		k.must(k.Create("pods", pod("a", "")))
		snap := k.Snapshot()
		k.must(k.Create("pods", pod("b", ""))) // 3
		k.must(k.Create("pods", pod("c", ""))) // 4
		k.Restore(snap)
		if l := k.list("/api/v1/pods"); l.names() != "a" || l.Metadata.ResourceVersion != "2" || snap.Version() != 2 {
			t.Errorf("restored to %+v", l)
		}
		ahead := k.watch("/api/v1/pods?watch=1&resourceVersion=4")
		k.must(k.Create("pods", pod("other", ""))) // 3 again
		k.must(k.Create("pods", pod("more", "")))  // 4 again
		k.must(k.Create("pods", pod("new", "")))   // 5
		ahead.want("a resume does not notice", "ADDED new 5")
		k.watch("/api/v1/pods?watch=1&resourceVersion=1").want("history begins at the snapshot", "ERROR 410 too old resource version: 1 (2)")
		k.watch("/api/v1/pods?watch=1&resourceVersion=2").want("history begins at the snapshot", "ADDED other 3", "ADDED more 4", "ADDED new 5")
	})
}

// Every event is a chunk of its own, with its newline, as long as it is not
// part of the initial events.
func TestEventsAreFlushedOneByOne(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		conn, err := k.Dial(k.Context(), "tcp", "any:80")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET /api/v1/pods?watch=1&resourceVersion=1 HTTP/1.1\r\nHost: x\r\n\r\n")
		synctest.Wait()
		read := func() string {
			synctest.Wait()
			b := make([]byte, 1<<16)
			n, err := conn.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			return string(b[:n])
		}
		if head := read(); !strings.Contains(head, "\r\nTransfer-Encoding: chunked\r\n") || !strings.HasSuffix(head, "\r\n\r\n") {
			t.Errorf("the head is %q", head)
		}
		for i := range 3 {
			o := k.must(k.Create("pods", pod(fmt.Sprint("p", i), "")))
			frame := `{"type":"ADDED","object":` + string(o.JSON) + "}\n"
			if got, want := read(), fmt.Sprintf("%x\r\n%s\r\n", len(frame), frame); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

// http.ErrAbortHandler in a rewriter is a cut in the middle of a stream.
func TestRewriters(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("pods", pod("a", "")))
		remove := k.RewriteEvents(func(r *http.Request, e Event) []Event {
			switch {
			case r.URL.Query().Get("plain") != "":
				return []Event{e}
			case e.Marker:
				return nil
			case strings.Contains(string(e.Object), `"name":"b"`):
				return []Event{e, e}
			case strings.Contains(string(e.Object), `"name":"c"`):
				return []Event{{Raw: []byte(`{"type":"ADDED","object":{"metadata":{"name":"raw","resourceVersion":"9"}}}`)}}
			case strings.Contains(string(e.Object), `"name":"d"`):
				panic(http.ErrAbortHandler)
			}
			return []Event{e}
		})
		w := k.watch("/api/v1/pods?watch=1&allowWatchBookmarks=1")
		plain := k.watch("/api/v1/pods?watch=1&allowWatchBookmarks=1&plain=1")
		for _, name := range []string{"b", "c", "d"} {
			k.must(k.Create("pods", pod(name, "")))
		}
		w.want("rewritten", "ADDED a 2", "ADDED b 3", "ADDED b 3", "ADDED raw 9")
		w.wantEnd("aborted", io.ErrUnexpectedEOF)
		plain.want("by request", "ADDED a 2", "BOOKMARK+ 2", "ADDED b 3", "ADDED c 4", "ADDED d 5")
		remove()
		k.watch("/api/v1/pods?watch=1&allowWatchBookmarks=1").want("removed", "ADDED a 2", "ADDED b 3", "ADDED c 4", "ADDED d 5", "BOOKMARK+ 5")
	})
}

// A bookmark that covered a change which the watch no longer sends would make
// its client lose that change for good.
func TestABookmarkCoversNothingThatAnEndedWatchWillNotSend(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		w := k.watch("/api/v1/pods?watch=1&resourceVersion=1&allowWatchBookmarks=1")
		k.must(k.Create("pods", pod("a", "")))
		w.want("before the end", "ADDED a 2")
		k.Bookmark()
		k.CloseWatches()
		k.must(k.Create("pods", pod("b", ""))) // 3, in the same instant
		w.want("the bookmark asked for stands where the watch ended", "BOOKMARK 2")
		w.wantEnd("closed", io.EOF)
	})
}
