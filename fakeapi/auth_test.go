package fakeapi

import (
	"testing"
)

func TestTokens(t *testing.T) {
	tokens := map[string]User{
		"root":   {Name: "root"},
		"nobody": {Name: "nobody", Rules: []Rule{}},
		"reader": {Name: "jane", Rules: []Rule{
			{Verbs: []string{"get", "list"}, Groups: []string{""}, Resources: []string{"pods"}, Namespaces: []string{"default"}},
			{Verbs: []string{"*"}, Groups: []string{"apps"}},
			{Resources: []string{"secrets"}}, // no verbs: nothing
			{Verbs: []string{"patch"}, Resources: []string{"pods/status"}},
		}},
	}
	bubble(t, Options{Tokens: tokens}, func(k *kit) {
		unauthorized := `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`
		k.want("no token", k.get("/api/v1/pods"), 401, unauthorized)
		k.want("a wrong token", k.get("/api/v1/pods", "Authorization: Bearer x"), 401, unauthorized)
		k.want("another scheme", k.get("/api/v1/pods", "Authorization: Basic root"), 401, unauthorized)
		k.want("a watch", k.get("/api/v1/pods?watch=1"), 401, unauthorized)
		k.want("a path that is not there", k.get("/nowhere"), 401, unauthorized)
		k.want("health is public", k.get("/readyz"), 200, "ok")
		k.want("so are its parts", k.get("/livez/ping"), 200, "ok")
		if a := k.get("/api/v1/pods", "Authorization: bearer root"); a.code != 200 {
			t.Errorf("root: %d %s", a.code, a.body)
		}
		k.want("other paths are not", k.get("/metrics", "Authorization: Bearer nobody"), 403,
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"forbidden: User \"nobody\" cannot get path \"/metrics\"","reason":"Forbidden","details":{},"code":403}`)
		for _, path := range []string{"/api", "/apis", "/apis/apps/v1", "/version", "/healthz"} {
			if a := k.get(path, "Authorization: Bearer nobody"); a.code != 200 {
				t.Errorf("discovery is open to the known: %s: %d %s", path, a.code, a.body)
			}
		}
		jane := "Authorization: Bearer reader"
		for _, c := range []struct {
			method, path, message string
		}{
			{"GET", "/api/v1/pods", `pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope`},
			{"GET", "/api/v1/pods?watch=1", `pods is forbidden: User "jane" cannot watch resource "pods" in API group "" at the cluster scope`},
			{"GET", "/api/v1/watch/pods", `cannot watch resource "pods"`},
			{"GET", "/api/v1/pods?fieldSelector=metadata.name%3Dx", `pods "x" is forbidden: User "jane" cannot list`},
			{"GET", "/api/v1/namespaces/default/pods?watch=1", `cannot watch resource "pods" in API group "" in the namespace "default"`},
			{"GET", "/api/v1/namespaces/other/pods/p", `pods "p" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace "other"`},
			{"POST", podsPath, `cannot create resource "pods"`},
			{"PUT", podsPath + "/p", `cannot update resource "pods"`},
			{"PATCH", podsPath + "/p", `cannot patch resource "pods"`},
			{"PUT", podsPath + "/p/status", `pods "p" is forbidden: User "jane" cannot update resource "pods/status" in API group ""`},
			{"DELETE", podsPath + "/p", `cannot delete resource "pods"`},
			{"DELETE", podsPath, `cannot deletecollection resource "pods"`},
			{"GET", "/api/v1/secrets", `cannot list resource "secrets"`},
			{"GET", "/apis/batch/v1/jobs", `jobs.batch is forbidden: User "jane" cannot list resource "jobs" in API group "batch" at the cluster scope`},
			{"GET", "/apis/no.such/v1/things", `things.no.such is forbidden`},
		} {
			k.wantStatus(c.method+" "+c.path, k.do(c.method, c.path, "{}", jane), 403, "Forbidden", c.message)
		}
		for path, code := range map[string]int{
			podsPath:                            200,
			podsPath + "/p":                     404,
			"/apis/apps/v1/deployments":         200,
			"/apis/apps/v1/namespaces/x/nosuch": 404,
		} {
			if a := k.get(path, jane); a.code != code {
				t.Errorf("%s: %d %s", path, a.code, a.body)
			}
		}
		if a := k.do("PATCH", podsPath+"/p/status", "{}", jane, "Content-Type: application/merge-patch+json"); a.code != 404 {
			t.Errorf("a subresource of its own: %d %s", a.code, a.body)
		}
		forbidden := k.get("/api/v1/namespaces/x/pods/p", jane)
		k.want("whole", forbidden, 403, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \"p\" is forbidden: User \"jane\" cannot get resource \"pods\" in API group \"\" in the namespace \"x\"","reason":"Forbidden","details":{"name":"p","kind":"pods"},"code":403}`)
		if forbidden.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("headers %v", forbidden.header)
		}
	})
}

// Rotation: the old token stops at once for new requests, open watches go on.
func TestTokensCanBeReplaced(t *testing.T) {
	bubble(t, Options{Tokens: map[string]User{"old": {}}}, func(k *kit) {
		w := k.watch("/api/v1/pods?watch=1", "Authorization: Bearer old")
		k.SetTokens(map[string]User{"new": {}})
		if a := k.get("/api/v1/pods", "Authorization: Bearer old"); a.code != 401 {
			t.Errorf("the old token: %d", a.code)
		}
		if a := k.get("/api/v1/pods", "Authorization: Bearer new"); a.code != 200 {
			t.Errorf("the new token: %d", a.code)
		}
		k.must(k.Create("pods", pod("a", "")))
		w.want("a watch from before", "ADDED a 2")
		k.SetTokens(nil)
		if a := k.get("/api/v1/pods"); a.code != 200 {
			t.Errorf("without authentication: %d", a.code)
		}
	})
}
