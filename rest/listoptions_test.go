package rest

import (
	"net/url"
	"testing"
)

func TestListOptionsSendOnlyWhatIsSet(t *testing.T) {
	yes, no := true, false
	for _, row := range []struct {
		name    string
		options ListOptions
		want    string
	}{
		{"nothing set", ListOptions{}, ""},
		{"first page from the cache", ListOptions{Limit: 500, ResourceVersion: "0"}, "limit=500&resourceVersion=0"},
		{"next page", ListOptions{Limit: 500, Continue: "a=b&c"}, "continue=a%3Db%26c&limit=500"},
		{"watch", ListOptions{Watch: true, AllowWatchBookmarks: true, ResourceVersion: "7", TimeoutSeconds: 300},
			"allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=300&watch=true"},
		{"watch-list", ListOptions{Watch: true, AllowWatchBookmarks: true, SendInitialEvents: &yes, ResourceVersionMatch: MatchNotOlderThan},
			"allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true"},
		{"an explicit false is sent", ListOptions{SendInitialEvents: &no}, "sendInitialEvents=false"},
		{"selectors", ListOptions{LabelSelector: "app=web,tier!=db", FieldSelector: "spec.nodeName=n1"},
			"fieldSelector=spec.nodeName%3Dn1&labelSelector=app%3Dweb%2Ctier%21%3Ddb"},
		{"exact version", ListOptions{ResourceVersion: "7", ResourceVersionMatch: MatchExact}, "resourceVersion=7&resourceVersionMatch=Exact"},
		{"what is wrong can be sent too", ListOptions{Limit: -1, TimeoutSeconds: -2}, "limit=-1&timeoutSeconds=-2"},
		{"extra parameters, also repeated", ListOptions{Extra: url.Values{"shardSelector": {"a", "b"}}}, "shardSelector=a&shardSelector=b"},
		{"extra parameters win", ListOptions{Limit: 1, Extra: url.Values{"limit": {"x"}}}, "limit=x"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := row.options.Query().Encode(); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

func TestQueryIsTheCallersOwn(t *testing.T) {
	o := ListOptions{Extra: url.Values{"x": {"1"}}}
	q := o.Query()
	q["x"][0] = "2"
	q.Set("y", "3")
	if got := o.Query().Encode(); got != "x=1" {
		t.Errorf("got %s, want x=1", got)
	}
}
