package lively

import "fmt"

// phase is where a pod is in its life.
type phase int

const (
	pending phase = iota
	scheduled
	running
	crashed
	terminating
)

type pod struct {
	name     string
	node     string
	release  int
	phase    phase
	restarts int
	deleted  string // when it began to terminate
}

// podActions are what can happen to a pod next. Most go on at once, so that
// the cluster tends towards health; running ones fail now and then.
func (c *cluster) podActions(w *workload, p *pod) []action {
	to := func(next phase) func() error {
		return func() error { p.phase = next; return c.put(w, p) }
	}
	switch p.phase {
	case pending:
		return []action{{10, func() error {
			p.node = c.nodes[c.rand.IntN(len(c.nodes))].name
			p.phase = scheduled
			return c.put(w, p)
		}}}
	case scheduled:
		return []action{{10, func() error { return c.start(w, p) }}}
	case running:
		return []action{{1, func() error { return c.crash(w, p) }}}
	case crashed:
		return []action{{4, to(running)}, {2, func() error { return c.terminate(w, p) }}}
	default:
		return []action{{10, func() error { return c.remove(w, p) }}}
	}
}

func (c *cluster) addPod(w *workload) (*pod, error) {
	p := &pod{release: w.release}
	o, err := c.server.Create("pods", p.object(w))
	if err != nil {
		return nil, err
	}
	p.name = o.Name
	w.pods = append(w.pods, p)
	return p, nil
}

func (c *cluster) start(w *workload, p *pod) error {
	p.phase = running
	if err := c.put(w, p); err != nil {
		return err
	}
	return c.report(w)
}

func (c *cluster) crash(w *workload, p *pod) error {
	p.phase = crashed
	p.restarts++
	if err := c.put(w, p); err != nil {
		return err
	}
	return c.tell(w, p, "BackOff", "Back-off restarting failed container "+w.name)
}

func (c *cluster) terminate(w *workload, p *pod) error {
	p.phase, p.deleted = terminating, now()
	return c.put(w, p)
}

func (c *cluster) remove(w *workload, p *pod) error {
	w.forget(p)
	if _, err := c.server.Delete("pods", w.namespace, p.name); err != nil && !missing(err) {
		return err
	}
	return nil
}

// put writes a pod's present state. One that somebody has deleted is
// forgotten, and the deployment will replace it.
func (c *cluster) put(w *workload, p *pod) error {
	_, err := c.server.Update("pods", p.object(w))
	if missing(err) {
		w.forget(p)
		return nil
	}
	return err
}

func (p *pod) object(w *workload) object {
	meta := object{
		"namespace": w.namespace,
		"labels":    object{"app": w.name, "pod-template-hash": fmt.Sprintf("r%d", p.release)},
		"ownerReferences": []any{object{
			"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": w.replicaSet(p.release), "controller": true,
		}},
	}
	if p.name == "" {
		meta["generateName"] = w.replicaSet(p.release) + "-"
	} else {
		meta["name"] = p.name
	}
	if p.deleted != "" {
		meta["deletionTimestamp"], meta["deletionGracePeriodSeconds"] = p.deleted, 30
	}
	spec := object{
		"containers":    []any{object{"name": w.name, "image": image(w.name, p.release), "resources": object{"requests": object{"cpu": "100m"}}}},
		"restartPolicy": "Always",
	}
	if p.node != "" {
		spec["nodeName"] = p.node
	}
	return object{"metadata": meta, "spec": spec, "status": p.status(w)}
}

func (p *pod) status(w *workload) object {
	if p.phase == pending {
		return object{"phase": "Pending"}
	}
	state := object{"waiting": object{"reason": "ContainerCreating"}}
	word, ready := "Pending", "False"
	switch p.phase {
	case running:
		state, word, ready = object{"running": object{"startedAt": now()}}, "Running", "True"
	case crashed:
		state, word = object{"waiting": object{"reason": "CrashLoopBackOff"}}, "Running"
	case terminating:
		state, word = object{"terminated": object{"exitCode": 0, "reason": "Completed"}}, "Running"
	}
	return object{
		"phase":      word,
		"conditions": []any{object{"type": "PodScheduled", "status": "True"}, object{"type": "Ready", "status": ready}},
		"containerStatuses": []any{object{
			"name": w.name, "image": image(w.name, p.release), "ready": ready == "True", "restartCount": p.restarts, "state": state,
		}},
	}
}
