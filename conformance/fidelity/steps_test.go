package fidelity

import (
	"net/url"
	"strings"
)

const (
	asTable    = "application/json;as=Table;g=meta.k8s.io;v=v1"
	asPartials = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	asPartial  = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

	configMaps = "/api/v1/namespaces/d1/configmaps" // a built-in kind without defaults, status or graceful deletion
	pods       = "/api/v1/namespaces/d1/pods"
	allPods    = "/api/v1/pods"
	widgets    = "/apis/example.com/v1/namespaces/d1/widgets"

	mergePatch = "application/merge-patch+json"
)

func pod(name, labels string) string {
	return `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"` + name + `","labels":{` + labels + `}},"spec":{"containers":[{"name":"c","image":"i"}]}}`
}

func configMap(name, labels string) string {
	return `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"` + name + `","labels":{` + labels + `}},"data":{"k":"v"}}`
}

func widget(name, labels string) string {
	return `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"` + name + `","labels":{` + labels + `}},"spec":{"color":"` + name + `"}}`
}

// setup builds the same state on both servers; its answers are compared too.
func setup() []step {
	post := func(path, body, save string) step { return step{method: "POST", path: path, body: body, save: save} }
	return []step{
		post("/api/v1/namespaces", `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"d1"}}`, "d1"),
		post("/api/v1/namespaces", `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"d2"}}`, "d2"),
		post(pods, pod("a", `"app":"x"`), "pod-a.1"),
		post(pods, pod("b", `"app":"y","tier":"1"`), "pod-b.1"),
		post("/api/v1/namespaces/d2/pods", pod("c", `"app":"x"`), "pod-c.1"),
		post(configMaps, configMap("a", `"app":"x"`), "a.1"),
		post(configMaps, configMap("b", `"app":"y","tier":"1"`), "b.1"),
		post("/api/v1/namespaces/d2/configmaps", configMap("c", `"app":"x"`), "c.1"),
		post(configMaps, configMap("e", `"tier":"2"`), "e.1"),
		post(widgets, widget("red", `"app":"x"`), "red.1"),
		post(widgets, widget("green", `"app":"y"`), "green.1"),
		post(widgets, widget("blue", ``), "blue.1"),
		{method: "PATCH", path: configMaps + "/a", content: mergePatch, body: `{"metadata":{"labels":{"app":"z"},"annotations":{"note":"1"}}}`, save: "a.2"},
		{method: "PATCH", path: widgets + "/red", content: mergePatch, body: `{"spec":{"color":"crimson"}}`, save: "red.2"},
		{method: "PATCH", path: pods + "/a", content: mergePatch, body: `{"metadata":{"labels":{"app":"z"}}}`, save: "pod-a.2"},
		post(configMaps, configMap("m", ``), "m.1"),
		{method: "DELETE", path: configMaps + "/e"},
		post(configMaps, configMap("f", `"app":"x"`), "f.1"),
		{path: configMaps + "?limit=1", save: "mappage"},
		{path: pods + "?limit=1", save: "podpage"},
		{path: widgets + "?limit=2", save: "widgetpage"},
	}
}

// reads changes nothing and may run in any order.
func reads() []step {
	var all []step
	for _, path := range []string{configMaps, widgets} {
		all = append(all, lists(path)...)
		all = append(all, watches(path)...)
	}
	for _, path := range []string{configMaps, pods, widgets} {
		all = append(all, encodings(path)...)
	}
	all = append(all, selectors()...)
	all = append(all, refusals()...)
	return append(all, discovery()...)
}

// get builds a GET with query parameters given as "name=value".
func get(path string, parameters ...string) step {
	if len(parameters) > 0 {
		path += "?" + strings.Join(parameters, "&")
	}
	return step{path: path}
}

// old is a version from before the last changes of a path's objects.
func old(path string) string {
	if path == widgets {
		return "{green.1}"
	}
	return "{b.1}"
}

// lists crosses every form of resourceVersion with every match and limit.
func lists(path string) []step {
	var all []step
	versions := []string{"", "resourceVersion=", "resourceVersion=0", "resourceVersion=" + old(path), "resourceVersion={f.1}", "resourceVersion=abc", "resourceVersion=-1", "resourceVersion=999999999"}
	matches := []string{"", "resourceVersionMatch=NotOlderThan", "resourceVersionMatch=Exact", "resourceVersionMatch=Bogus"}
	for _, version := range versions {
		for _, match := range matches {
			for _, limit := range []string{"", "limit=1"} {
				all = append(all, get(path, present(version, match, limit)...))
			}
		}
	}
	token := "{mappage.continue}"
	if path == widgets {
		token = "{widgetpage.continue}"
	}
	return append(all,
		get(path, "continue="+token),
		get(path, "limit=1", "continue="+token),
		get(path, "limit=1", "continue="+token, "resourceVersion=0"),
		get(path, "limit=1", "continue="+token, "resourceVersion={f.1}"),
		get(path, "limit=1", "continue="+token, "resourceVersionMatch=NotOlderThan"),
		get(path, "limit=1", "continue="+token, "resourceVersionMatch=Exact", "resourceVersion={f.1}"),
		get(path, "continue=garbage"),
		get(path, "continue=e30"),
		get(path, "limit=0"),
		get(path, "limit=-1"),
		get(path, "limit=abc"),
		get(path, "limit=500"),
		get(path, "sendInitialEvents=true"),
		get(path, "sendInitialEvents=false"),
		get(path, "sendInitialEvents=true", "resourceVersionMatch=NotOlderThan"),
		get(path, "allowWatchBookmarks=true"),
		get(path, "timeoutSeconds=1"),
		get(path, "timeoutSeconds=abc"),
		get(path, "unknownParameter=1"),
		get(path, "pretty=1"),
		get(path, "pretty=true"),
		get(path, "watch=false"),
		get(path, "watch=0"),
		get(path, "labelSelector=app", "limit=1"),
	)
}

func present(parameters ...string) []string {
	var out []string
	for _, p := range parameters {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}

// watches crosses the versions with the watch-list parameters. Every watch
// ends by itself after a second.
func watches(path string) []step {
	var all []step
	watch := func(parameters ...string) {
		all = append(all, get(path, append([]string{"watch=true", "timeoutSeconds=1"}, present(parameters...)...)...))
	}
	versions := []string{"", "resourceVersion=0", "resourceVersion=" + old(path), "resourceVersion={f.1}", "resourceVersion=abc", "resourceVersion=999999999"}
	if path != widgets { // whose cache begins with their definition, not with the server
		versions = append(versions, "resourceVersion=1")
	}
	for _, version := range versions {
		watch(version)
		watch(version, "allowWatchBookmarks=true")
		watch(version, "sendInitialEvents=true")
		watch(version, "sendInitialEvents=false")
		watch(version, "resourceVersionMatch=NotOlderThan")
		watch(version, "resourceVersionMatch=Exact")
		watch(version, "sendInitialEvents=true", "resourceVersionMatch=NotOlderThan")
		watch(version, "sendInitialEvents=true", "resourceVersionMatch=NotOlderThan", "allowWatchBookmarks=true")
		watch(version, "sendInitialEvents=false", "resourceVersionMatch=NotOlderThan")
		watch(version, "sendInitialEvents=false", "resourceVersionMatch=NotOlderThan", "allowWatchBookmarks=true")
		watch(version, "sendInitialEvents=true", "resourceVersionMatch=Exact")
	}
	watch("sendInitialEvents=true", "resourceVersionMatch=Bogus")
	watch("sendInitialEvents=abc", "resourceVersionMatch=NotOlderThan")
	watch("resourceVersion=0", "limit=1")
	watch("resourceVersion={f.1}", "continue=abc")
	watch("labelSelector=app%3Dx")
	watch("labelSelector=app%3Dx", "resourceVersion="+old(path))
	watch("labelSelector=app%3Dx", "sendInitialEvents=true", "resourceVersionMatch=NotOlderThan", "allowWatchBookmarks=true")
	watch("fieldSelector=metadata.name%3Da", "resourceVersion=0")
	return append(all,
		get(path, "watch=1", "timeoutSeconds=1", "resourceVersion={f.1}"),
		get(path, "watch=True", "timeoutSeconds=1", "resourceVersion={f.1}"),
		get(path, "watch", "timeoutSeconds=1", "resourceVersion={f.1}"),
		get(path, "watch=abc", "timeoutSeconds=1", "resourceVersion={f.1}"),
		get("/api/v1/watch/namespaces/d1/configmaps", "timeoutSeconds=1", "resourceVersion=0"),
	)
}

// encodings asks for the same collection in other shapes.
func encodings(path string) []step {
	one := path + "/a"
	if path == widgets {
		one = path + "/red"
	}
	accept := func(path, accept string) step { return step{path: path, accept: accept} }
	watch := path + "?watch=true&timeoutSeconds=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
	return []step{
		get(one), get(path + "/missing"),
		get(one, "resourceVersion=0"), get(one, "resourceVersion={f.1}"), get(one, "resourceVersion=abc"), get(one, "resourceVersion=999999999"),
		accept(path, "application/json"),
		accept(path, "*/*"),
		accept(path, "application/*"),
		accept(path, "application/json, */*"),
		accept(path, "application/json;stream=watch"),
		accept(path, "application/json;q=0.5,text/html"),
		accept(path, "text/html"),
		accept(path, "text/html,*/*"),
		accept(path, "application/xml"),
		accept(path, "garbage"),
		accept(path, asTable),
		accept(path, asTable+","+"application/json"),
		accept(path+"?includeObject=Object", asTable),
		accept(path+"?includeObject=None", asTable),
		accept(path+"?includeObject=Bogus", asTable),
		accept(path+"?limit=1", asTable),
		accept(path, asPartials),
		accept(path, asPartials+",application/json"),
		accept(path+"?limit=1", asPartials),
		accept(path, asPartial),
		accept(path, "application/json;as=Bogus;g=meta.k8s.io;v=v1"),
		accept(path, "application/json;as=Table;g=meta.k8s.io;v=v1beta1"),
		accept(path, "application/json;as=Table;g=meta.k8s.io;v=v9"),
		accept(path, "application/json;as=Table;g=meta.k8s.io;v=v9,application/json"),
		accept(one, asTable), accept(one, asPartial), accept(one, asPartials),
		accept(watch, "application/json;stream=watch"),
		accept(watch, asTable), accept(watch, asPartial), accept(watch, asPartials), accept(watch, "text/html"),
		accept(watch, "application/json;as=Bogus;g=meta.k8s.io;v=v1,application/json"),
		accept(watch, "application/xml, application/json"),
	}
}

func selectors() []step {
	label := func(path, selector string) step { return get(path, "labelSelector="+url.QueryEscape(selector)) }
	field := func(path, selector string) step { return get(path, "fieldSelector="+url.QueryEscape(selector)) }
	var all []step
	for _, s := range []string{"", "app", "!app", "app=x", "app==x", "app!=x", "app in (x,y)", "app notin (x)", "app in ()", "tier>0", "tier<1", "app=x,tier",
		"app=", "=x", "app in x", "app=x=y", "app,,tier", "-bad=1", "app=bad value", "app in (x", "a/b/c=1"} {
		all = append(all, label(pods, s), label(widgets, s))
	}
	for _, s := range []string{"", "metadata.name=a", "metadata.name!=a", "metadata.namespace=d1", "spec.nodeName=", "status.phase=Pending", "status.phase!=Pending",
		"spec.color=red", "metadata.name", "metadata.name=a,metadata.name=b", "metadata.name in (a)", "spec.bogus=1", "metadata.name==a", "metadata.uid=1"} {
		all = append(all, field(allPods, s), field(widgets, s))
	}
	return append(all, field("/api/v1/namespaces", "status.phase=Active,metadata.name=d1"), field("/api/v1/namespaces", "status.phase=Gone"), field("/api/v1/namespaces", "metadata.name=d1"), label(allPods, "app=x"),
		get("/apis/example.com/v1/widgets"), get(pods, "fieldSelector=metadata.name%3Da", "limit=1"), get(pods, "labelSelector=app%3Dx", "limit=1"))
}

// refusals are the errors of reads.
func refusals() []step {
	return []step{
		{path: pods, as: "unknown"}, {path: pods, as: "limited"}, {path: pods + "/a", as: "limited"}, {path: allPods, as: "limited"},
		{path: widgets, as: "limited"}, {path: pods + "?watch=true", as: "limited"}, {path: pods + "/a/status", as: "limited"},
		{path: "/version", as: "unknown"}, {path: "/metrics", as: "limited"}, {path: "/api/v1/nodes/n", as: "limited"},
		{path: pods + "?watch=true", as: "unknown"},
		get("/"), get("/api/v1/namespaces/d1/nothings"), get("/apis/nothing.example.com/v1/things"), get("/apis/example.com/v1/things"), get("/apis/example.com/v9/widgets"), get("/nothing"),
		get("/api/v1/pods/a"), get("/api/v1/namespaces/d1/pods/a/bogus"), get("/api/v1/namespaces/d1/pods/"), get("//api/v1/pods"),
		get("/api/v1/namespaces/nowhere/pods"), get("/api/v1/namespaces/nowhere/pods/a"), get("/api/v1/namespaces/nowhere/pods", "watch=true", "timeoutSeconds=1", "resourceVersion=0"),
		get(pods + "/a/status"), get(widgets + "/red/status"),
		get("/healthz"), get("/livez"), get("/readyz"), get("/api/v1/namespaces/d1"), get("/api/v1/namespaces/nowhere"),
	}
}

func discovery() []step {
	const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	return []step{
		get("/api"), get("/apis"), get("/api/v1"), get("/apis/apps/v1"), get("/apis/example.com/v1"), get("/apis/example.com"), get("/apis/apps"),
		get("/version"), get("/version/"), get("/apis/nothing.example.com"), get("/apis/example.com/v9"), get("/api/v9"),
		{path: "/api", accept: aggregated}, {path: "/apis", accept: aggregated},
		{path: "/api", accept: aggregated + ",application/json"}, {path: "/apis", accept: aggregated + ",application/json"},
		{path: "/apis", accept: "application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList"},
	}
}

// writes are the errors and answers of writes, one after the other.
func writes() []step {
	return []step{
		// Not allowed: by the method, by the user.
		{method: "PUT", path: pods, body: pod("z", "")}, {method: "PATCH", path: pods, content: mergePatch, body: "{}"}, {method: "POST", path: pods + "/a", body: pod("a", "")},
		{method: "POST", path: allPods, body: pod("z", "")}, {method: "BOGUS", path: pods}, {method: "OPTIONS", path: pods}, {method: "HEAD", path: pods},
		{method: "PUT", path: widgets, body: widget("z", "")}, {method: "POST", path: widgets + "/red", body: widget("red", "")}, {method: "DELETE", path: "/api/v1/pods"},
		{method: "DELETE", path: pods, as: "limited"}, {method: "POST", path: pods, body: pod("z", ""), as: "limited"},
		// Create.
		{method: "POST", path: pods, body: pod("a", "")},
		{method: "POST", path: widgets, body: widget("red", "")},
		{method: "POST", path: pods, body: pod("Bad_Name", "")},
		{method: "POST", path: widgets, body: widget("Bad_Name", "")},
		{method: "POST", path: configMaps, body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}`},
		{method: "POST", path: widgets, body: `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{}}`},
		{method: "POST", path: configMaps, body: `{"metadata":{"name":"untyped"}}`},
		{method: "POST", path: widgets, body: `{"metadata":{"name":"untyped"}}`},
		{method: "POST", path: configMaps, body: `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"}}`},
		{method: "POST", path: widgets, body: `{"kind":"Gadget","apiVersion":"example.com/v1","metadata":{"name":"x"}}`},
		{method: "POST", path: widgets, body: `{"kind":"Widget","apiVersion":"example.com/v2","metadata":{"name":"x"}}`},
		{method: "POST", path: configMaps, body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","namespace":"d2"}}`},
		{method: "POST", path: widgets, body: `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"x","namespace":"d2"}}`},
		{method: "POST", path: configMaps, body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","resourceVersion":"5"}}`},
		{method: "POST", path: configMaps, body: `{"kind":"ConfigMap"`},
		{method: "POST", path: widgets, body: `{"kind":"Widget"`},
		{method: "POST", path: configMaps, body: `[]`},
		{method: "POST", path: configMaps},
		{method: "POST", path: configMaps, content: "text/plain", body: `x`},
		{method: "POST", path: widgets, content: "text/plain", body: `x`},
		{method: "POST", path: "/api/v1/namespaces", body: `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"d1"}}`},
		{method: "POST", path: configMaps + "?dryRun=All", body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"dry"}}`},
		{method: "POST", path: configMaps + "?dryRun=Some", body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"dry"}}`},
		{path: configMaps + "/dry"},
		// Update.
		{method: "PUT", path: configMaps + "/m", body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m"},"data":{"k":"w"}}`, save: "m.2"},
		{method: "PUT", path: configMaps + "/m", body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m","resourceVersion":"{m.1}"},"data":{"k":"x"}}`},
		{method: "PUT", path: widgets + "/red", body: `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"red","resourceVersion":"{red.1}"}}`},
		{method: "PUT", path: widgets + "/red", body: `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"red"}}`},
		{method: "PUT", path: configMaps + "/m", body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"other"}}`},
		{method: "PUT", path: configMaps + "/m", body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m","uid":"wrong"}}`},
		{method: "PUT", path: configMaps + "/m", body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m","resourceVersion":"abc"}}`},
		{method: "PUT", path: pods + "/missing", body: pod("missing", "")},
		{method: "PUT", path: configMaps + "/missing", body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"missing"}}`},
		{method: "PUT", path: widgets + "/missing", body: widget("missing", "")},
		{method: "PUT", path: configMaps + "/missing", body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"missing","resourceVersion":"5"}}`},
		{method: "PUT", path: configMaps + "/m", body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m"},"data":{"k":"w"}}`}, // no change, same version
		// Patch.
		{method: "PATCH", path: configMaps + "/m", content: mergePatch, body: `{"metadata":{"resourceVersion":"{m.1}"},"data":{"k":"y"}}`},
		{method: "PATCH", path: configMaps + "/m", content: mergePatch, body: `{"data":{"k":null,"n":"1"}}`, save: "m.3"},
		{method: "PATCH", path: configMaps + "/m", content: mergePatch, body: `{}`},
		{method: "PATCH", path: configMaps + "/m", content: mergePatch, body: `{"data":`},
		{method: "PATCH", path: configMaps + "/m", content: mergePatch, body: `{"metadata":{"name":"other"}}`},
		{method: "PATCH", path: configMaps + "/missing", content: mergePatch, body: `{}`},
		{method: "PATCH", path: widgets + "/missing", content: mergePatch, body: `{}`},
		{method: "PATCH", path: configMaps + "/m", content: "application/bogus", body: `{}`},
		{method: "PATCH", path: configMaps + "/m", content: "application/json", body: `{}`},
		{method: "PATCH", path: widgets + "/red", content: "application/strategic-merge-patch+json", body: `{}`},
		// Delete.
		{method: "DELETE", path: configMaps + "/missing"},
		{method: "DELETE", path: widgets + "/missing"},
		{method: "DELETE", path: configMaps + "/m", body: `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"resourceVersion":"{m.1}"}}`},
		{method: "DELETE", path: configMaps + "/m", body: `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"wrong"}}`},
		{method: "DELETE", path: widgets + "/red", body: `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"wrong"}}`},
		{method: "DELETE", path: configMaps + "/m?dryRun=All"},
		{method: "DELETE", path: configMaps + "/m"},
		{method: "DELETE", path: widgets + "/blue"},
		{method: "DELETE", path: configMaps + "/f", accept: asPartial},
		{path: configMaps + "?watch=true&timeoutSeconds=1&resourceVersion={f.1}"},
		{path: widgets + "?watch=true&timeoutSeconds=1&resourceVersion={f.1}"},
		// Finalizers hold the object until they are gone.
		{method: "PATCH", path: widgets + "/green", content: mergePatch, body: `{"metadata":{"finalizers":["example.com/hold"]}}`, save: "green.2"},
		{method: "DELETE", path: widgets + "/green", save: "green.3"},
		{method: "DELETE", path: widgets + "/green"},
		{method: "PATCH", path: widgets + "/green", content: mergePatch, body: `{"metadata":{"finalizers":null}}`, save: "green.4"},
		{path: widgets + "/green"},
		{path: widgets + "?watch=true&timeoutSeconds=1&resourceVersion={green.2}"},
		// Collections.
		{method: "DELETE", path: configMaps + "?labelSelector=app%3Dy"},
		{method: "DELETE", path: configMaps, save: "gone"},
		{path: configMaps},
		{path: configMaps + "?resourceVersion={a.2}&resourceVersionMatch=Exact"},
	}
}

// compacted runs after the servers have forgotten everything before {gone}.
func compacted() []step {
	var all []step
	for _, path := range []string{configMaps, widgets} {
		token := "{mappage.continue}"
		if path == widgets {
			token = "{widgetpage.continue}"
		}
		version := "resourceVersion=" + old(path)
		all = append(all,
			get(path, version),
			get(path, version, "resourceVersionMatch=NotOlderThan"),
			get(path, version, "resourceVersionMatch=Exact"),
			get(path, version, "limit=1"),
			get(path, "continue="+token),
			get(path, "limit=1", "continue="+token),
			get(path, "watch=true", "timeoutSeconds=1", version),
			get(path, "watch=true", "timeoutSeconds=1", version, "allowWatchBookmarks=true"),
			get(path, "watch=true", "timeoutSeconds=1", version, "sendInitialEvents=true", "resourceVersionMatch=NotOlderThan", "allowWatchBookmarks=true"),
			get(path, "watch=true", "timeoutSeconds=1", version, "sendInitialEvents=false", "resourceVersionMatch=NotOlderThan", "allowWatchBookmarks=true"),
		)
	}
	return all
}
