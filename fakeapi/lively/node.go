package lively

import "fmt"

type node struct{ name string }

func (c *cluster) addNode(name string) error {
	n := &node{name: name}
	c.nodes = append(c.nodes, n)
	_, err := c.server.Create("nodes", n.object())
	return err
}

// heartbeat is a node saying that it lives.
func (c *cluster) heartbeat() error {
	_, err := c.server.Apply("nodes", c.nodes[c.rand.IntN(len(c.nodes))].object())
	return err
}

func (n *node) object() object {
	return object{
		"metadata": object{"name": n.name, "labels": object{"kubernetes.io/hostname": n.name, "kubernetes.io/os": "linux"}},
		"spec":     object{"podCIDR": "10.1.0.0/24"},
		"status": object{
			"capacity":   object{"cpu": "4", "memory": "16Gi", "pods": "110"},
			"conditions": []any{object{"type": "Ready", "status": "True", "reason": "KubeletReady", "lastHeartbeatTime": now()}},
			"nodeInfo":   object{"kubeletVersion": "v1.37.1", "osImage": "Linux", "architecture": "amd64"},
		},
	}
}

// tell records an event about a pod, as the kubelet does.
func (c *cluster) tell(w *workload, p *pod, reason, message string) error {
	_, err := c.server.Create("events", object{
		"metadata":       object{"namespace": w.namespace, "generateName": p.name + "."},
		"involvedObject": object{"kind": "Pod", "namespace": w.namespace, "name": p.name, "apiVersion": "v1"},
		"reason":         reason, "message": message, "type": "Warning", "count": p.restarts,
		"source":         object{"component": "kubelet", "host": p.node},
		"firstTimestamp": now(), "lastTimestamp": now(),
	})
	return err
}

func image(name string, release int) string {
	return fmt.Sprintf("registry.example/%s:1.%d", name, release)
}
