package lively

import (
	"fmt"
	"slices"
)

// workload is a deployment with its replica sets and pods.
type workload struct {
	namespace, name string
	replicas        int
	release         int // of the template; each has a replica set
	pods            []*pod
}

func (c *cluster) addNamespace(name string) error {
	if _, err := c.server.Apply("namespaces", object{
		"metadata": object{"name": name, "labels": object{"kubernetes.io/metadata.name": name}},
		"spec":     object{"finalizers": []any{"kubernetes"}},
		"status":   object{"phase": "Active"},
	}); err != nil {
		return err
	}
	for _, deployment := range []string{"web", "api"} {
		if err := c.addWorkload(&workload{namespace: name, name: deployment, replicas: 2 + c.rand.IntN(2), release: 1}); err != nil {
			return err
		}
	}
	return nil
}

// addWorkload starts out complete, so that the first list has something to show.
func (c *cluster) addWorkload(w *workload) error {
	c.workloads = append(c.workloads, w)
	if _, err := c.server.Create("services", object{
		"metadata": object{"namespace": w.namespace, "name": w.name},
		"spec":     object{"selector": object{"app": w.name}, "ports": []any{object{"port": 80}}, "type": "ClusterIP"},
	}); err != nil {
		return err
	}
	for range w.replicas {
		p, err := c.addPod(w)
		if err != nil {
			return err
		}
		p.node, p.phase = c.nodes[c.rand.IntN(len(c.nodes))].name, running
		if err := c.put(w, p); err != nil {
			return err
		}
	}
	return c.report(w)
}

// workloadActions are what controllers and people do to a deployment.
func (c *cluster) workloadActions(w *workload) []action {
	current, old := w.count()
	switch {
	case current+old < w.replicas, old > 0 && current < w.replicas && current+old <= w.replicas:
		return []action{{12, func() error { _, err := c.addPod(w); return err }}}
	case current > w.replicas:
		return []action{{12, func() error { return c.terminate(w, w.victim(false)) }}}
	case old > 0 && w.victim(true) != nil:
		return []action{{12, func() error { return c.terminate(w, w.victim(true)) }}}
	case old > 0:
		return nil // terminating pods hold the rollout up
	}
	return []action{
		{1, func() error { w.replicas = 2 + c.rand.IntN(3); return c.report(w) }},
		{2, func() error { w.release++; return c.report(w) }},
	}
}

// count returns the pods of the current release and of older ones that are
// not on their way out.
func (w *workload) count() (current, old int) {
	for _, p := range w.pods {
		switch {
		case p.phase == terminating:
		case p.release == w.release:
			current++
		default:
			old++
		}
	}
	return current, old
}

// victim is the pod to go next.
func (w *workload) victim(old bool) *pod {
	for _, p := range w.pods {
		if p.phase != terminating && (p.release != w.release) == old {
			return p
		}
	}
	return nil
}

func (w *workload) forget(p *pod) {
	w.pods = slices.DeleteFunc(w.pods, func(o *pod) bool { return o == p })
}

// report writes the deployment and the replica set of its release.
func (c *cluster) report(w *workload) error {
	ready := 0
	for _, p := range w.pods {
		if p.phase == running && p.release == w.release {
			ready++
		}
	}
	spec := object{
		"replicas": w.replicas,
		"selector": object{"matchLabels": object{"app": w.name}},
		"template": object{
			"metadata": object{"labels": object{"app": w.name}},
			"spec":     object{"containers": []any{object{"name": w.name, "image": image(w.name, w.release)}}},
		},
	}
	status := object{"replicas": len(w.pods), "readyReplicas": ready}
	meta := func(name string) object {
		return object{"namespace": w.namespace, "name": name, "labels": object{"app": w.name}}
	}
	if _, err := c.server.Apply("deployments.apps", object{"metadata": meta(w.name), "spec": spec, "status": status}); err != nil {
		return err
	}
	_, err := c.server.Apply("replicasets.apps", object{"metadata": meta(w.replicaSet(w.release)), "spec": spec, "status": status})
	return err
}

func (w *workload) replicaSet(release int) string {
	return fmt.Sprintf("%s-r%d", w.name, release)
}
