package fakeapi

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Clients that identify items by kind need to know: a built-in list says it
// once, at its head.
func TestBuiltInListSaysItsTypeOnce(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.want("an empty list has items", k.get("/api/v1/pods"), 200,
			`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`)
		k.must(k.Create("pods", pod("a", `"app":"x"`)))
		k.want("one pod", k.get("/api/v1/pods"), 200,
			`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"2"},"items":[{"metadata":{"name":"a","namespace":"default","uid":"u-a","resourceVersion":"2","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"}}}]}`)
	})
}

// Keys of custom resources are sorted at every depth, so items come before
// metadata and annotations before the name.
func TestCustomListIsSorted(t *testing.T) {
	bubble(t, Options{Resources: []Resource{widgets}}, func(k *kit) {
		k.must(k.Create("widgets.example.com", `{"spec":{"z":1.50,"a":"<&>"},"metadata":{"name":"w","uid":"u","annotations":{"n":"1"}}}`))
		k.must(k.Create("widgets.example.com", `{"metadata":{"name":"x","uid":"u"}}`))
		page := k.get("/apis/example.com/v1/namespaces/default/widgets?limit=1")
		k.want("a page", page, 200, `{"apiVersion":"example.com/v1","items":[`+
			`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"annotations":{"n":"1"},"creationTimestamp":"2000-01-01T00:00:00Z","generation":1,"name":"w","namespace":"default","resourceVersion":"2","uid":"u"},"spec":{"a":"\u003c\u0026\u003e","z":1.50}}`+
			`],"kind":"WidgetList","metadata":{"continue":"`+continueToken{Version: 3, Start: "w\x00"}.encode()+`","remainingItemCount":1,"resourceVersion":"3"}}`)
	})
}

func TestObjectsComeInEtcdOrder(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		for _, key := range []string{"b/x", "a/y", "a-b/z", "a/x"} { // '-' is before '/'
			namespace, name, _ := strings.Cut(key, "/")
			k.must(k.Create("pods", map[string]any{"metadata": map[string]any{"namespace": namespace, "name": name}}))
		}
		var keys []string
		for _, i := range k.list("/api/v1/pods").Items {
			keys = append(keys, i.Metadata.Namespace+"/"+i.Metadata.Name)
		}
		if diff := cmp.Diff([]string{"a-b/z", "a/x", "a/y", "b/x"}, keys); diff != "" {
			t.Error(diff)
		}
		if got := k.list("/api/v1/namespaces/a/pods").names(); got != "x y" {
			t.Errorf("namespace a holds %q", got)
		}
	})
}

// All pages of a list stand at one version, whatever happens meanwhile
// (API concepts, "Retrieving large results sets in chunks").
func TestPagesStandAtOneVersion(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		for i := range 5 {
			k.must(k.Create("pods", pod(fmt.Sprint("p", i), "")))
		}
		at := version(k.Version())
		next, names := "", []string{}
		for page, remaining := range []int{3, 1, -1} {
			l := k.list("/api/v1/pods?limit=2&continue=" + next)
			names = append(names, l.names())
			if l.Metadata.ResourceVersion != at {
				t.Errorf("page %d is at %s, want %s", page, l.Metadata.ResourceVersion, at)
			}
			if got := l.Metadata.RemainingItemCount; remaining >= 0 && (got == nil || *got != remaining) || remaining < 0 && got != nil {
				t.Errorf("page %d has remainingItemCount %v, want %d", page, got, remaining)
			}
			next = l.Metadata.Continue
			k.must(k.Delete("pods", "default", fmt.Sprint("p", 4-page)))
			k.must(k.Create("pods", pod(fmt.Sprint("p1-", page), "")))
			k.must(k.Update("pods", pod("p0", fmt.Sprintf(`"page":"%d"`, page))))
		}
		if diff := cmp.Diff([]string{"p0 p1", "p2 p3", "p4"}, names); diff != "" || next != "" {
			t.Errorf("continue %q\n%s", next, diff)
		}
	})
}

// With a selector the number of what remains is unknown, and the last page
// may turn out empty.
func TestPagesOfASelection(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		for i := range 5 {
			k.must(k.Create("pods", pod(fmt.Sprint("p", i), fmt.Sprintf(`"odd":"%d"`, i%2))))
		}
		first := k.list("/api/v1/pods?limit=2&labelSelector=odd%3D1")
		if first.names() != "p1 p3" || first.Metadata.RemainingItemCount != nil || first.Metadata.Continue == "" {
			t.Fatalf("the first page is %+v", first)
		}
		last := k.list("/api/v1/pods?limit=2&labelSelector=odd%3D1&continue=" + first.Metadata.Continue)
		if last.names() != "" || last.Metadata.Continue != "" {
			t.Errorf("the last page is %+v", last)
		}
	})
}

// A page of a compacted version is 410 with a token that goes on at the
// newest version, for clients that accept an inconsistent list.
func TestCompactedContinueIsExpired(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		for i := range 4 {
			k.must(k.Create("pods", pod(fmt.Sprint("p", i), "")))
		}
		l := k.list("/api/v1/namespaces/default/pods?limit=1")
		k.must(k.Delete("pods", "default", "p2"))
		k.Compact()
		gone := k.get("/api/v1/namespaces/default/pods?limit=1&continue=" + l.Metadata.Continue)
		k.wantStatus("the second page", gone, 410, "Expired", "The provided continue parameter is too old")
		fresh := continueToken{Version: -1, Start: "p0\x00"}.encode()
		if !strings.Contains(gone.body, `"metadata":{"continue":"`+fresh+`"}`) {
			t.Errorf("no token to go on with in %s", gone.body)
		}
		rest := k.list("/api/v1/namespaces/default/pods?continue=" + fresh)
		if rest.names() != "p1 p3" || rest.Metadata.ResourceVersion != version(k.Version()) {
			t.Errorf("the rest is %+v", rest)
		}
	})
}

// https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
func TestListVersions(t *testing.T) {
	bubble(t, Options{FreshWait: -1}, func(k *kit) {
		k.must(k.Create("pods", pod("a", ""))) // 2
		k.must(k.Create("pods", pod("b", ""))) // 3
		k.must(k.Delete("pods", "default", "a"))
		k.must(k.Create("pods", pod("c", ""))) // 5
		for _, c := range []struct{ query, names, version string }{
			{"", "b c", "5"},
			{"resourceVersion=0", "b c", "5"},
			{"resourceVersion=0&limit=1", "b c", "5"}, // the cache answers in one piece
			{"resourceVersion=2", "b c", "5"},         // not older than
			{"resourceVersion=2&limit=1", "a", "2"},   // a limit means exactly
			{"resourceVersion=3&limit=1", "a", "3"},
			{"resourceVersion=3&resourceVersionMatch=Exact", "a b", "3"},
			{"resourceVersion=4&resourceVersionMatch=Exact", "b", "4"},
			{"resourceVersion=3&resourceVersionMatch=NotOlderThan", "b c", "5"},
			{"resourceVersion=3&resourceVersionMatch=NotOlderThan&limit=1", "b", "5"},
			{"resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=1", "b c", "5"},
			{"limit=1", "b", "5"},
			{"continue=" + continueToken{Version: 5, Start: "default/b\x00"}.encode() + "&limit=1&resourceVersion=0", "c", "5"},
			{"continue=" + continueToken{Version: 3, Start: "default/a"}.encode() + "&limit=1&resourceVersion=0", "a b", "3"},
			{"resourceVersion=1&resourceVersionMatch=Exact", "", "1"},
		} {
			l := k.list("/api/v1/pods?" + c.query)
			if l.names() != c.names || l.Metadata.ResourceVersion != c.version {
				t.Errorf("%s: %q at %s, want %q at %s", c.query, l.names(), l.Metadata.ResourceVersion, c.names, c.version)
			}
		}
		// A read of one key is not paged.
		if l := k.list(podsPath + "?limit=1&fieldSelector=metadata.name%3Db"); l.names() != "b" || l.Metadata.Continue != "" {
			t.Errorf("one object: %+v", l)
		}
		if l := k.list("/api/v1/pods?limit=1&fieldSelector=metadata.name%3Db"); l.names() != "b" || l.Metadata.Continue == "" {
			t.Errorf("one name in all namespaces: %+v", l)
		}
		k.CompactTo(4)
		k.wantStatus("exactly before the compaction", k.get("/api/v1/pods?resourceVersion=3&resourceVersionMatch=Exact"), 410, "Expired", "The resourceVersion for the provided list is too old.")
		if l := k.list("/api/v1/pods?resourceVersion=4&resourceVersionMatch=Exact"); l.names() != "b" {
			t.Errorf("exactly at the compaction: %q", l.names())
		}
	})
}

// A version the server has not reached is waited for, and then refused in a
// way that clients can tell from other timeouts.
func TestVersionsAheadAreWaitedFor(t *testing.T) {
	for _, path := range []string{
		"/api/v1/pods?resourceVersion=9",
		"/api/v1/pods?resourceVersion=9&resourceVersionMatch=Exact",
		"/api/v1/pods?resourceVersion=9&limit=1",
		"/api/v1/pods?continue=" + continueToken{Version: 9, Start: "default/a\x00"}.encode(),
		"/api/v1/namespaces/default/pods/a?resourceVersion=9",
	} {
		bubble(t, Options{}, func(k *kit) {
			k.must(k.Create("pods", pod("a", "")))
			var a answer
			if waited := took(func() { a = k.get(path) }); waited != 3*time.Second {
				t.Errorf("%s: waited %v", path, waited)
			}
			k.want(path, a, 504, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: Too large resource version: 9, current: 2","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}`)
			if got := a.header.Get("Retry-After"); got != "1" {
				t.Errorf("%s: Retry-After %q", path, got)
			}
			time.AfterFunc(time.Second, func() { k.SetVersion(5) }) // not yet
			time.AfterFunc(2*time.Second, func() { k.SetVersion(9) })
			if waited := took(func() { a = k.get(path) }); waited != 2*time.Second || a.code != 200 {
				t.Errorf("%s: %d after %v, want 200 after 2s", path, a.code, waited)
			}
		})
	}
}

func TestListRules(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		token := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
		for _, c := range []struct {
			query, reason, message string
			code                   int
		}{
			{"resourceVersion=x", "BadRequest", `invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint`, 400},
			{"limit=x", "BadRequest", `strconv.ParseInt: parsing "x": invalid syntax`, 400},
			{"timeoutSeconds=x", "BadRequest", `invalid syntax`, 400},
			{"resourceVersionMatch=Exact", "Invalid", `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`, 422},
			{"resourceVersionMatch=Exact&resourceVersion=0", "Invalid", `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`, 422},
			{"resourceVersionMatch=exact&resourceVersion=2", "Invalid", `resourceVersionMatch: Unsupported value: "exact": supported values: "Exact", "NotOlderThan", ""`, 422},
			{"resourceVersionMatch=NotOlderThan&continue=x", "Invalid", `[resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided]`, 422},
			{"sendInitialEvents=true", "Invalid", `sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`, 422},
			{"continue=x&resourceVersion=5", "BadRequest", `invalid continue token`, 400},
			{"continue=" + token("{"), "BadRequest", `continue key is not valid`, 400},
			{"continue=" + token(`{"v":"v2","rv":1,"start":"a"}`), "BadRequest", `does not recognize this encoded version`, 400},
			{"continue=" + token(`{"v":"meta.k8s.io/v1","start":"a"}`), "BadRequest", `incorrect encoded start resourceVersion`, 400},
			{"continue=" + token(`{"v":"meta.k8s.io/v1","rv":1}`), "BadRequest", `encoded start key empty`, 400},
			{"continue=" + token(`{"v":"meta.k8s.io/v1","rv":1,"start":"../secrets"}`), "BadRequest", `continue key is not valid`, 400},
			{"continue=" + token(`{"v":"meta.k8s.io/v1","rv":1,"start":"a"}`) + "&resourceVersion=1", "BadRequest", `specifying resource version is not allowed when using continue`, 400},
			{"labelSelector=a%20b", "BadRequest", `found 'b', expected:`, 400},
			{"fieldSelector=a", "BadRequest", `invalid selector`, 400},
			{"fieldSelector=spec.x%3D1", "BadRequest", `field label not supported: spec.x`, 400},
		} {
			k.wantStatus(c.query, k.get("/api/v1/pods?"+c.query), c.code, c.reason, c.message)
		}
		k.wantStatus("a kind without fields of its own", k.get("/api/v1/configmaps?fieldSelector=data%3D1"), 400, "BadRequest",
			`"data" is not a known field selector: only "metadata.name", "metadata.namespace"`)
	})
}

func TestSelectors(t *testing.T) {
	bubble(t, Options{Resources: []Resource{widgets}}, func(k *kit) {
		k.must(k.Create("pods", `{"metadata":{"name":"a","labels":{"app":"x"}},"spec":{"nodeName":"n1","hostNetwork":true},"status":{"phase":"Running"}}`))
		k.must(k.Create("pods", `{"metadata":{"name":"b","namespace":"other","labels":{"app":"y"}},"spec":{"nodeName":"n2","containers":[]},"status":{"phase":"Pending"}}`))
		k.must(k.Create("pods", `{"metadata":{"name":"c"},"spec":"not an object"}`))
		k.must(k.Create("widgets.example.com", `{"metadata":{"name":"red"},"spec":{"color":"red"}}`))
		k.must(k.Create("widgets.example.com", `{"metadata":{"name":"none"},"spec":{"color":null}}`))
		k.must(k.Create("replicasets.apps", `{"metadata":{"name":"empty"}}`))
		k.must(k.Create("replicasets.apps", `{"metadata":{"name":"full"},"status":{"replicas":3}}`))
		for path, names := range map[string]string{
			"/api/v1/pods?labelSelector=app":                                                 "a b",
			"/api/v1/pods?labelSelector=app%20in%20(x,z)":                                    "a",
			"/api/v1/pods?labelSelector=!app":                                                "c",
			"/api/v1/pods?fieldSelector=metadata.name%3Db":                                   "b",
			"/api/v1/pods?fieldSelector=metadata.namespace!%3Dother":                         "a c",
			"/api/v1/pods?fieldSelector=spec.nodeName%3Dn1,status.phase%3DRunning":           "a",
			"/api/v1/pods?fieldSelector=spec.host%3Dn2":                                      "b",
			"/api/v1/pods?fieldSelector=spec.nodeName%3D":                                    "c",
			"/api/v1/pods?fieldSelector=spec.hostNetwork%3Dtrue":                             "a",
			"/api/v1/pods?fieldSelector=spec.hostNetwork%3Dfalse":                            "c b",
			"/apis/example.com/v1/widgets?fieldSelector=spec.color%3Dred":                    "red",
			"/apis/example.com/v1/widgets?fieldSelector=spec.color%3D":                       "none",
			"/apis/apps/v1/replicasets?fieldSelector=status.replicas%3D0":                    "empty",
			"/apis/apps/v1/replicasets?fieldSelector=status.replicas%3D3":                    "full",
			"/api/v1/namespaces/other/pods?labelSelector=app":                                "b",
			"/api/v1/pods?labelSelector=app&fieldSelector=status.phase%3DPending&limit=9":    "b",
			"/api/v1/pods?fieldSelector=metadata.name%3Da,metadata.namespace%3Ddefault&x=1":  "a",
			"/apis/apps/v1/replicasets?fieldSelector=status.replicas%3D3,metadata.name%3Dxx": "",
		} {
			if got := k.list(path).names(); got != names {
				t.Errorf("%s: %q, want %q", path, got, names)
			}
		}
	})
}
