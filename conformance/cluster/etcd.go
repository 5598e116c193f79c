package cluster

import (
	"context"
	"encoding/json"
	"fmt"
)

// Compact makes etcd forget every state before revision, which is a
// resourceVersion: what asks for an older one from storage is answered 410.
func (c *Cluster) Compact(ctx context.Context, revision string) error {
	_, err := c.etcdCall(ctx, "/v3/kv/compaction", map[string]any{"revision": revision, "physical": true})
	return err
}

// etcdCall uses etcd's JSON gateway, so that no gRPC client is needed here.
func (c *Cluster) etcdCall(ctx context.Context, path string, request map[string]any) ([]byte, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	client := c.etcdClient()
	defer client.Close()
	response, err := client.Do(ctx, "POST", path, nil, body)
	if err != nil {
		return nil, err
	}
	if response.Code != 200 {
		return nil, fmt.Errorf("etcd %s: %d %s", path, response.Code, response.Body)
	}
	return response.Body, nil
}

func (c *Cluster) etcdClient() *Client {
	return NewClient(fmt.Sprintf("http://127.0.0.1:%d", c.ports.etcd), nil, "")
}
