package credentials

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
)

// roles lets the impersonator act as jane, with one uid, two groups and one value of extra, and jane read the scene's config maps.
func (s *scene) roles() {
	s.t.Helper()
	const rbac = "/apis/rbac.authorization.k8s.io/v1"
	s.must("POST", rbac+"/clusterroles", `{"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"`+s.namespace+`"},"rules":[
{"verbs":["impersonate"],"apiGroups":[""],"resources":["users"],"resourceNames":["jane"]},
{"verbs":["impersonate"],"apiGroups":[""],"resources":["groups"],"resourceNames":["readers","day shift"]},
{"verbs":["impersonate"],"apiGroups":["authentication.k8s.io"],"resources":["uids"],"resourceNames":["u-1"]},
{"verbs":["impersonate"],"apiGroups":["authentication.k8s.io"],"resources":["userextras/example.com/scopes"],"resourceNames":["view"]}]}`)
	s.must("POST", rbac+"/clusterrolebindings", `{"kind":"ClusterRoleBinding","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"`+s.namespace+`"},
"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"`+s.namespace+`"},"subjects":[{"kind":"User","name":"impersonator","apiGroup":"rbac.authorization.k8s.io"}]}`)
	s.must("POST", rbac+"/namespaces/"+s.namespace+"/roles", `{"kind":"Role","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"reader"},"rules":[
{"verbs":["get","list","watch"],"apiGroups":[""],"resources":["configmaps"]}]}`)
	s.must("POST", rbac+"/namespaces/"+s.namespace+"/rolebindings", `{"kind":"RoleBinding","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"reader"},
"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"reader"},"subjects":[{"kind":"Group","name":"readers","apiGroup":"rbac.authorization.k8s.io"}]}`)
}

// Acting as somebody with a group that may read config maps follows them; without the group, or as somebody one may not act as, is refused in the
// server's words.
func TestImpersonationIsAllowedAndRefused(t *testing.T) {
	t.Parallel()
	s := sharedScene(t, "impersonation")
	s.roles()
	as := func(more map[string]any) map[string]any {
		user := map[string]any{"token": "planted-impersonator"}
		for k, v := range more {
			user[k] = v
		}
		return user
	}
	whole := map[string]any{"as": "jane", "as-uid": "u-1", "as-groups": []string{"readers", "day shift"}, "as-user-extra": map[string]any{"example.com/scopes": []string{"view"}}}
	config := s.config(nil, as(whole))
	// RBAC has just been told: the server's cache may take a moment.
	s.changeUntil("the roles", func() bool {
		_, err := s.ask(config, "GET", rest.ConfigMaps.Path(s.namespace, ""), "")
		return err == nil
	})
	fresh := s.fresh()
	f := fresh.follow(fresh.config(nil, as(whole)))
	for range 50 {
		fresh.change()
	}
	f.finish(fresh)

	review, err := s.ask(config, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}`)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Status struct {
			UserInfo struct {
				Username, UID string
				Groups        []string
				Extra         map[string][]string
			}
		}
	}
	if err := json.Unmarshal(review, &answer); err != nil {
		t.Fatal(err)
	}
	got := answer.Status.UserInfo
	slices.Sort(got.Groups)
	want := got
	want.Username, want.UID, want.Groups = "jane", "u-1", []string{"day shift", "readers", "system:authenticated"}
	want.Extra = map[string][]string{"example.com/scopes": {"view"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("who the server takes us for (- want, + got)\n%s", d)
	}

	for name, test := range map[string]struct {
		user  map[string]any
		words string
	}{
		"another user":         {map[string]any{"as": "joe"}, `User "impersonator" cannot impersonate resource "users"`},
		"another group":        {map[string]any{"as": "jane", "as-groups": []string{"system:masters"}}, `cannot impersonate resource "groups"`},
		"another uid":          {map[string]any{"as": "jane", "as-uid": "u-2"}, `cannot impersonate resource "uids"`},
		"other extra":          {map[string]any{"as": "jane", "as-user-extra": map[string]any{"example.com/scopes": []string{"edit"}}}, `cannot impersonate resource "userextras/example.com/scopes"`},
		"a user without right": {map[string]any{"as": "jane"}, `User "jane" cannot list resource "configmaps"`},
		"nobody":               {nil, `User "impersonator" cannot list resource "configmaps"`},
	} {
		_, err := s.ask(s.config(nil, as(test.user)), "GET", rest.ConfigMaps.Path(s.namespace, ""), "")
		if !status.IsForbidden(err) || !strings.Contains(fmt.Sprint(err), test.words) {
			t.Errorf("%s: %v, want %s", name, err, test.words)
		}
	}
}

// ask is one request with a client of its own.
func (s *scene) ask(config rest.Config, method, path, body string) ([]byte, error) {
	s.t.Helper()
	client, err := rest.NewClient(config)
	if err != nil {
		s.t.Fatal(err)
	}
	defer client.Close()
	r := rest.Request{Method: method, Path: path}
	if body != "" {
		r.Body, r.ContentType = []byte(body), "application/json"
	}
	response, err := client.Do(s.ctx, r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// fresh is the same scene with nothing but three new config maps in it, in a namespace of its own that the same people may read.
func (s *scene) fresh() *scene {
	s.t.Helper()
	fresh := newScene(s.t, s.cluster, s.witness, s.namespace+"-watched")
	const rbac = "/apis/rbac.authorization.k8s.io/v1"
	for _, kind := range []string{"roles", "rolebindings"} {
		body := s.must("GET", rbac+"/namespaces/"+s.namespace+"/"+kind+"/reader", "")
		var object map[string]any
		if err := json.Unmarshal(body, &object); err != nil {
			s.t.Fatal(err)
		}
		object["metadata"] = map[string]any{"name": "reader"}
		text, err := json.Marshal(object)
		if err != nil {
			s.t.Fatal(err)
		}
		fresh.must("POST", rbac+"/namespaces/"+fresh.namespace+"/"+kind, string(text))
	}
	return fresh
}
