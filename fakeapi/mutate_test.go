package fakeapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	podsPath    = "/api/v1/namespaces/default/pods"
	widgetsPath = "/apis/example.com/v1/namespaces/default/widgets"
)

// meta reads an object's metadata.
func (a answer) meta(t *testing.T) objectMeta {
	t.Helper()
	var o struct{ Metadata objectMeta }
	if err := json.Unmarshal([]byte(a.body), &o); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return o.Metadata
}

func TestCreate(t *testing.T) {
	bubble(t, Options{Resources: []Resource{widgets}}, func(k *kit) {
		a := k.do("POST", podsPath, `{"kind":"Pod","apiVersion":"v1","status":{"phase":"Pending"},"spec":{"nodeName":"<n>", "a": 1.0},"metadata":{"name":"p","uid":"mine","creationTimestamp":"1999-01-01T00:00:00Z","unknown":1,"selfLink":"/x","generation":9}}`)
		m := a.meta(t)
		if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(m.UID) {
			t.Errorf("uid %q", m.UID)
		}
		k.want("created", a, 201, fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"default","uid":%q,"resourceVersion":"2","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z"},"spec":{"nodeName":"\u003cn\u003e","a":1.0},"status":{"phase":"Pending"}}`, m.UID))
		k.want("read back", k.get(podsPath+"/p"), 200, strings.TrimSpace(a.body))

		generated := k.do("POST", podsPath, `{"metadata":{"generateName":"web-"}}`).meta(t)
		if !regexp.MustCompile(`^web-[bcdfghjklmnpqrstvwxz2456789]{5}$`).MatchString(generated.Name) || generated.GenerateName != "web-" {
			t.Errorf("generated %+v", generated)
		}
		dry := k.do("POST", podsPath+"?dryRun=All", `{"metadata":{"name":"dry"}}`)
		if dry.code != 201 || dry.meta(t).ResourceVersion != "" || k.Version() != 3 {
			t.Errorf("a dry run: %d %s at %d", dry.code, dry.body, k.Version())
		}
		for _, c := range []struct {
			why, path, body string
			code            int
			reason, message string
		}{
			{"taken", podsPath, `{"metadata":{"name":"p"}}`, 409, "AlreadyExists", `pods "p" already exists`},
			{"no name", podsPath, `{}`, 422, "Invalid", `Pod "" is invalid: metadata.name: Required value: name or generateName is required`},
			{"no name for a URL", podsPath, `{"metadata":{"name":"A/b"}}`, 422, "Invalid", `Pod "A/b" is invalid: metadata.name: Invalid value: "A/b": a lowercase RFC 1123 subdomain`},
			{"custom names its group", widgetsPath, `{"kind":"Widget","metadata":{"name":"A"}}`, 422, "Invalid", `Widget.example.com "A" is invalid`},
			{"custom without a kind", widgetsPath, `{"metadata":{"name":"untyped"}}`, 400, "BadRequest", `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '{"metadata":{"name":"untyped"}}' ({"metadata":{"name":"untyped"} ...)`},
			{"a long one", widgetsPath, `{"metadata":{"name":"untyped", "x":"12345"}}`, 400, "BadRequest", `({"metadata":{"name":"untyped", ...)`},
			{"custom of another kind", widgetsPath, `{"kind":"Gadget","metadata":{"name":"x"}}`, 422, "Invalid", `Gadget.example.com "x" is invalid: kind: Invalid value: "Gadget": must be Widget`},
			{"custom with a name in the path", widgetsPath + "/y", `{"kind":"Widget","metadata":{}}`, 422, "Invalid", `name or generateName is required`},
			{"with a version", podsPath, `{"metadata":{"name":"q","resourceVersion":"1"}}`, 500, "", `resourceVersion should not be set on objects to be created`},
			{"another namespace", podsPath, `{"metadata":{"name":"q","namespace":"x"}}`, 400, "BadRequest", `the namespace of the provided object does not match the namespace sent on the request`},
			{"another kind", podsPath, `{"kind":"Secret","metadata":{"name":"q"}}`, 400, "BadRequest", `Secret in version "v1" cannot be handled as a Pod: converting (v1.Secret) to (core.Pod): unknown conversion`},
			{"another kind of a group", "/apis/apps/v1/namespaces/default/deployments", `{"kind":"Pod","metadata":{"name":"q"}}`, 400, "BadRequest", `converting (v1.Pod) to (apps.Deployment): unknown conversion`},
			{"another version", podsPath, `{"apiVersion":"v2","metadata":{"name":"q"}}`, 400, "BadRequest", `the API version in the data (v2) does not match the expected API version (v1)`},
			{"no JSON", podsPath, `{`, 400, "BadRequest", `the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: unexpected end of JSON input ({)`},
			{"no object", podsPath, `[]`, 400, "BadRequest", `cannot unmarshal array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" } (5b5d)`},
			{"a long array", podsPath, `[` + strings.Repeat("1,", 30) + `1]`, 400, "BadRequest", `(5b312c312c` + strings.Repeat("312c", 12) + `31 ...)`},
			{"null", podsPath, `null`, 400, "BadRequest", `not a JSON object`},
			{"nothing", podsPath, ``, 400, "BadRequest", `unexpected end of JSON input (<empty>)`},
			{"two objects", podsPath, `{}{}`, 400, "BadRequest", `invalid character '{' after top-level value`},
			{"wrong metadata", podsPath, `{"metadata":{"labels":{"a":1}}}`, 400, "BadRequest", `cannot unmarshal number`},
			{"too long", podsPath, `{"x":"` + strings.Repeat("x", maxBody) + `"}`, 413, "RequestEntityTooLarge", `limit is 3145728`},
			{"no namespace", "/api/v1/pods", `{"metadata":{"name":"q"}}`, 405, "MethodNotAllowed", ``},
			{"a name in the path", podsPath + "/q", `{"metadata":{"name":"q"}}`, 405, "MethodNotAllowed", ``},
		} {
			k.wantStatus(c.why, k.do("POST", c.path, c.body), c.code, c.reason, c.message)
		}
		k.wantStatus("YAML", k.do("POST", podsPath, "a: 1", "Content-Type: application/yaml"), 415, "UnsupportedMediaType", "accepted media types include: application/json")
		if role := k.do("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", `{"metadata":{"name":"system:node"}}`); role.code != 201 {
			t.Errorf("a role with a colon: %s", role.body)
		}
	})
}

func TestUpdate(t *testing.T) {
	bubble(t, Options{Resources: []Resource{widgets}}, func(k *kit) {
		created := k.do("POST", podsPath, `{"metadata":{"name":"p"},"spec":{"a":1}}`).meta(t)
		time.Sleep(time.Hour)
		a := k.do("PUT", podsPath+"/p", `{"metadata":{"name":"p","resourceVersion":"2","labels":{"x":"1"}},"spec":{"a":1}}`)
		m := a.meta(t)
		if a.code != 200 || m.ResourceVersion != "3" || m.Generation != 1 || m.UID != created.UID || m.CreationTimestamp != created.CreationTimestamp {
			t.Errorf("a label: %d %+v", a.code, m)
		}
		if m := k.do("PUT", podsPath+"/p", `{"metadata":{"labels":{"x":"1"}},"spec":{"a":2}}`).meta(t); m.ResourceVersion != "4" || m.Generation != 2 {
			t.Errorf("a spec, without a version: %+v", m)
		}
		same := k.do("PUT", podsPath+"/p", `{"metadata":{"labels":{"x":"1"}},"spec":{ "a":2}}`).meta(t)
		if same.ResourceVersion != "4" || k.Version() != 4 {
			t.Errorf("an update without a change is a write: %+v", same)
		}
		if dry := k.do("PUT", podsPath+"/p?dryRun=All", `{"spec":{"a":3}}`); dry.code != 200 || k.Version() != 4 {
			t.Errorf("a dry run: %d %s", dry.code, dry.body)
		}
		k.must(k.Create("widgets.example.com", `{"metadata":{"name":"w"}}`))
		for _, c := range []struct {
			why, path, body string
			code            int
			reason, message string
		}{
			{"stale", podsPath + "/p", `{"metadata":{"resourceVersion":"3"}}`, 409, "Conflict", `Operation cannot be fulfilled on pods "p": the object has been modified; please apply your changes to the latest version and try again`},
			{"another uid", podsPath + "/p", `{"metadata":{"uid":"x"}}`, 409, "Conflict", `Operation cannot be fulfilled on pods "p": StorageError: invalid object, Code: 4, Key: /registry/pods/default/p, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: ` + created.UID},
			{"no version at all", podsPath + "/p", `{"metadata":{"resourceVersion":"x"}}`, 500, "", `strconv.ParseUint: parsing "x": invalid syntax`},
			{"custom missing", widgetsPath + "/x", `{"kind":"Widget"}`, 404, "NotFound", `widgets.example.com "x" not found`},
			{"a custom collection", widgetsPath, `{}`, 400, "BadRequest", `name must be provided`},
			{"another way to dry", podsPath + "/p?dryRun=Some", `{}`, 422, "Invalid", `UpdateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"`},
			{"another name", podsPath + "/p", `{"metadata":{"name":"q"}}`, 400, "BadRequest", `the name of the object (q) does not match the name on the URL (p)`},
			{"missing", podsPath + "/q", `{}`, 404, "NotFound", `pods "q" not found`},
			{"custom without a version", widgetsPath + "/w", `{"kind":"Widget"}`, 422, "Invalid", `widgets.example.com "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`},
			{"a collection", podsPath, `{}`, 405, "MethodNotAllowed", ``},
		} {
			k.wantStatus(c.why, k.do("PUT", c.path, c.body), c.code, c.reason, c.message)
		}
	})
}

func TestStatusSubresource(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("pods", `{"metadata":{"name":"p","labels":{"x":"1"}},"spec":{"a":1}}`))
		a := k.do("PUT", podsPath+"/p/status", `{"metadata":{"labels":{"x":"2"}},"spec":{"a":2},"status":{"phase":"Running"}}`)
		if !strings.HasSuffix(a.body, `"generation":1,"creationTimestamp":"2000-01-01T00:00:00Z","labels":{"x":"1"}},"spec":{"a":1},"status":{"phase":"Running"}}`+"\n") {
			t.Errorf("status alone is written: %s", a.body)
		}
		if got := k.get(podsPath + "/p/status"); got.body != a.body {
			t.Errorf("read through the subresource: %s", got.body)
		}
		a = k.do("PATCH", podsPath+"/p/status", `{"status":null}`, "Content-Type: application/merge-patch+json")
		if !strings.HasSuffix(a.body, `"spec":{"a":1}}`+"\n") {
			t.Errorf("status removed: %s", a.body)
		}
		for _, path := range []string{podsPath + "/p/scale", "/api/v1/namespaces/default/configmaps/p/status"} {
			k.wantStatus(path, k.get(path), 404, "NotFound", "the server could not find the requested resource")
		}
	})
}

// RFC 7396.
func TestMergePatch(t *testing.T) {
	for _, c := range []struct{ target, patch, want string }{ // appendix A
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		got, err := mergePatch(json.RawMessage(c.target), json.RawMessage(c.patch))
		if err != nil || string(got) != c.want {
			t.Errorf("%s + %s = %s, %v; want %s", c.target, c.patch, got, err, c.want)
		}
	}
	bubble(t, Options{Resources: []Resource{widgets}}, func(k *kit) {
		const merge = "Content-Type: application/merge-patch+json"
		k.must(k.Create("widgets.example.com", `{"metadata":{"name":"w","labels":{"a":"1","b":"2"}},"spec":{"color":"red","size":1}}`))
		a := k.do("PATCH", widgetsPath+"/w", `{"metadata":{"labels":{"a":null}},"spec":{"color":"blue"}}`, merge)
		var got struct {
			Metadata struct {
				Labels          map[string]string
				ResourceVersion string
				Generation      int
			}
			Spec map[string]any
		}
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]any{"color": "blue", "size": 1.0}, got.Spec); diff != "" || got.Metadata.ResourceVersion != "3" || got.Metadata.Generation != 2 || len(got.Metadata.Labels) != 1 {
			t.Errorf("%d %+v\n%s", a.code, got, diff)
		}
		k.wantStatus("stale", k.do("PATCH", widgetsPath+"/w", `{"metadata":{"resourceVersion":"2"}}`, merge), 409, "Conflict", "the object has been modified")
		k.wantStatus("missing", k.do("PATCH", widgetsPath+"/x", `{}`, merge), 404, "NotFound", `widgets.example.com "x" not found`)
		k.wantStatus("no JSON", k.do("PATCH", widgetsPath+"/w", `{`, merge), 400, "BadRequest", "invalid JSON patch")
		k.wantStatus("no object left", k.do("PATCH", widgetsPath+"/w", `7`, merge), 400, "BadRequest", "cannot unmarshal number")
		k.wantStatus("renamed", k.do("PATCH", widgetsPath+"/w", `{"metadata":{"name":"x"}}`, merge), 400, "BadRequest", "does not match the name on the URL")
		k.wantStatus("a collection", k.do("PATCH", podsPath, `{}`, merge), 405, "MethodNotAllowed", "")
		k.wantStatus("what the router does not know", k.do("PATCH", podsPath+"/p", `{}`, "Content-Type: application/json"), 415, "UnsupportedMediaType", "415: Unsupported Media Type")
		k.wantStatus("what it knows and we do not", k.do("PATCH", podsPath+"/p", `{}`, "Content-Type: application/json-patch+json"), 415, "UnsupportedMediaType", mergePatchType)
		for _, other := range []string{"application/json-patch+json", "application/strategic-merge-patch+json", "application/apply-patch+yaml", "application/json", "/"} {
			k.wantStatus(other, k.do("PATCH", widgetsPath+"/w", `{}`, "Content-Type: "+other), 415, "UnsupportedMediaType", "application/merge-patch+json")
		}
	})
}

func TestDelete(t *testing.T) {
	bubble(t, Options{Resources: []Resource{widgets}}, func(k *kit) {
		create := func(resource, name string) { k.must(k.Create(resource, pod(name, ""))) }
		create("pods", "p")
		k.want("pods return themselves, at the version of the deletion", k.do("DELETE", podsPath+"/p", ""), 200,
			`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"default","uid":"u-p","resourceVersion":"3","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z"}}`)
		create("configmaps", "c")
		k.want("others a Status", k.do("DELETE", "/api/v1/namespaces/default/configmaps/c", ""), 200,
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"c","kind":"configmaps","uid":"u-c"}}`)
		create("widgets.example.com", "w")
		k.want("with their group", k.do("DELETE", widgetsPath+"/w", ""), 200,
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"w","group":"example.com","kind":"widgets","uid":"u-w"}}`)
		k.wantStatus("gone", k.do("DELETE", podsPath+"/p", ""), 404, "NotFound", `pods "p" not found`)

		create("pods", "q") // 8
		k.wantStatus("another uid", k.do("DELETE", podsPath+"/q", `{"preconditions":{"uid":"x"}}`), 409, "Conflict",
			`Operation cannot be fulfilled on Pod "q": the UID in the precondition (x) does not match the UID in record (u-q). The object might have been deleted and then recreated`)
		k.wantStatus("another version", k.do("DELETE", podsPath+"/q", `{"preconditions":{"resourceVersion":"7"}}`), 409, "Conflict",
			`the ResourceVersion in the precondition (7) does not match the ResourceVersion in record (8). The object might have been modified`)
		k.wantStatus("no options", k.do("DELETE", podsPath+"/q", `{`), 400, "BadRequest", "")
		k.wantStatus("another way to dry", k.do("DELETE", podsPath+"/q", `{"dryRun":["Some"]}`), 422, "Invalid", "DeleteOptions.meta.k8s.io")
		for _, dry := range []answer{k.do("DELETE", podsPath+"/q?dryRun=All", ""), k.do("DELETE", podsPath+"/q", `{"dryRun":["All"]}`)} {
			if dry.code != 200 || k.Version() != 8 {
				t.Errorf("a dry run: %d %s", dry.code, dry.body)
			}
		}
		if a := k.do("DELETE", podsPath+"/q", `{"preconditions":{"uid":"u-q","resourceVersion":"8"}}`); a.code != 200 {
			t.Errorf("with true preconditions: %s", a.body)
		}
	})
}

// Finalizers turn a deletion into a change; the object goes with the last of
// them.
func TestFinalizersHoldObjects(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("pods", `{"metadata":{"name":"p","finalizers":["a/b"]}}`))
		w := k.watch("/api/v1/pods?watch=1&resourceVersion=2")
		m := k.do("DELETE", podsPath+"/p", "").meta(t)
		if m.DeletionTimestamp != "2000-01-01T00:00:00Z" || m.DeletionGracePeriodSeconds == nil || m.Generation != 2 {
			t.Errorf("marked: %+v", m)
		}
		if again := k.do("DELETE", podsPath+"/p", "").meta(t); again.ResourceVersion != "3" {
			t.Errorf("a second deletion is a write: %+v", again)
		}
		a := k.do("PUT", podsPath+"/p", `{"metadata":{"finalizers":["a/b"],"labels":{"x":"1"}}}`)
		if a.meta(t).DeletionTimestamp == "" {
			t.Errorf("an update revived it: %s", a.body)
		}
		last := k.do("PATCH", podsPath+"/p", `{"metadata":{"finalizers":null}}`, "Content-Type: application/merge-patch+json").meta(t)
		if last.ResourceVersion != "4" || len(last.Finalizers) > 0 {
			t.Errorf("the answer to the last change: %+v", last)
		}
		w.want("its life", "MODIFIED p 3", "MODIFIED p 4", "DELETED p 5")
		if a := k.get(podsPath + "/p"); a.code != 404 {
			t.Errorf("still there: %s", a.body)
		}
		k.must(k.Create("pods", `{"metadata":{"name":"q","finalizers":["a/b"]}}`))
		k.must(k.Delete("pods", "default", "q"))
		w.want("the direct way does not ask", "ADDED q 6", "DELETED q 7")
	})
}

func TestDeleteCollection(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		for _, name := range []string{"a", "b", "c"} {
			k.must(k.Create("pods", pod(name, fmt.Sprintf(`"app":%q`, name[:1]))))
		}
		k.must(k.Create("pods", `{"metadata":{"name":"held","finalizers":["x/y"]}}`))
		k.must(k.Create("pods", `{"metadata":{"name":"far","namespace":"other"}}`))
		if dry := k.do("DELETE", podsPath+"?dryRun=All", ""); dry.code != 200 || k.Version() != 6 {
			t.Errorf("a dry run: %s", dry.body)
		}
		w := k.watch("/api/v1/pods?watch=1&resourceVersion=6")
		a := k.do("DELETE", podsPath+"?labelSelector=app!%3Db", "")
		var l list
		if err := json.Unmarshal([]byte(a.body), &l); err != nil || l.names() != "a c held" || l.Kind != "PodList" {
			t.Errorf("returned %v %s", err, a.body)
		}
		w.want("deleted", "DELETED a 7", "DELETED c 8", "MODIFIED held 9")
		if got := k.list("/api/v1/pods").names(); got != "b held far" {
			t.Errorf("left are %q", got)
		}
		k.wantStatus("no options", k.do("DELETE", podsPath, `{`), 400, "BadRequest", "")
		k.wantStatus("list rules hold", k.do("DELETE", podsPath+"?resourceVersionMatch=x", ""), 422, "Invalid", "")
		k.wantStatus("and its errors", k.do("DELETE", podsPath+"?resourceVersion=x", ""), 400, "BadRequest", "")
	})
}

func TestOtherMethods(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.wantStatus("a made-up method", k.do("BREW", podsPath, ""), 405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
		k.must(k.Create("pods", pod("p", "")))
		if a := k.do("HEAD", podsPath+"/p", ""); a.code != 405 || a.body != "" {
			t.Errorf("HEAD: %+v", a)
		}
		k.wantStatus("across namespaces", k.do("DELETE", "/api/v1/pods", ""), 405, "MethodNotAllowed", "")
		k.Register(widgets)
		k.want("custom across namespaces", k.do("DELETE", "/apis/example.com/v1/widgets", ""), 404, "404 page not found")
		k.wantStatus("a custom subresource", k.get(widgetsPath+"/w/scale"), 404, "NotFound", `widgets.example.com "w" not found`)
	})
}
