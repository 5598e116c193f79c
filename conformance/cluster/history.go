package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// sentinel is a key beside everything Kubernetes keeps. A write to it marks the
// end of a History.
const sentinel = "/conformance/end"

// History returns every change of a resource that etcd has recorded since the
// cluster began, in its order: the truth below the API server. registry is
// the resource's name in keys, "pods". Nothing may have been compacted.
// UID is empty: it stands in the value, which is not decoded.
func (c *Cluster) History(ctx context.Context, registry string) ([]Change, error) {
	answer, err := c.etcdCall(ctx, "/v3/kv/put", map[string]any{"key": []byte(sentinel)})
	if err != nil {
		return nil, err
	}
	var put struct{ Header struct{ Revision string } }
	if err := json.Unmarshal(answer, &put); err != nil {
		return nil, err
	}
	request, err := json.Marshal(map[string]any{"create_request": map[string]any{
		"key": []byte{0}, "range_end": []byte{0}, "start_revision": "1",
	}})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	client := c.etcdClient()
	defer client.Close()
	response, err := client.Open(ctx, "POST", "/v3/watch", nil, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return readHistory(response.Body, "/registry/"+registry+"/", put.Header.Revision)
}

// etcdEvent is one event of etcd's JSON gateway.
type etcdEvent struct {
	Type string
	KV   struct {
		Key            []byte
		CreateRevision string `json:"create_revision"`
		ModRevision    string `json:"mod_revision"`
	}
}

// readHistory reads until the event of revision end, which other events may
// follow in the same message.
func readHistory(r io.Reader, prefix, end string) ([]Change, error) {
	var all []Change
	for d := json.NewDecoder(r); ; {
		var message struct {
			Result struct {
				Canceled     bool
				CancelReason string `json:"cancel_reason"`
				Events       []etcdEvent
			}
		}
		if err := d.Decode(&message); err != nil {
			return nil, fmt.Errorf("etcd's watch: %w", err)
		}
		if message.Result.Canceled {
			return nil, errors.New("etcd's watch: " + message.Result.CancelReason)
		}
		for _, e := range message.Result.Events {
			if e.KV.ModRevision == end {
				return all, nil
			}
			if change, ok := e.change(prefix); ok {
				all = append(all, change)
			}
		}
	}
}

// change is what watchers must be told of the event; false for other keys.
func (e etcdEvent) change(prefix string) (Change, bool) {
	name, ok := strings.CutPrefix(string(e.KV.Key), prefix)
	if !ok {
		return Change{}, false
	}
	c := Change{Type: "MODIFIED", Name: name, ResourceVersion: e.KV.ModRevision}
	switch {
	case e.Type == "DELETE":
		c.Type = "DELETED"
	case e.KV.CreateRevision == e.KV.ModRevision:
		c.Type = "ADDED"
	}
	if namespace, name, ok := strings.Cut(name, "/"); ok {
		c.Namespace, c.Name = namespace, name
	}
	return c, true
}
