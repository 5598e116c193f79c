// Ours is this project's informer under measurement, as a program that links nothing of Kubernetes' API types.
package main

import (
	"fmt"

	"github.com/rawwatch/rawwatch/compact"
	"github.com/rawwatch/rawwatch/conformance/compare/child"
	"github.com/rawwatch/rawwatch/conformance/compare/follower"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// pod declares five fields, labels among them.
type pod struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase  string `json:"phase"`
		PodIP  string `json:"podIP"`
		HostIP string `json:"hostIP"`
	} `json:"status"`
}

func main() { child.Main(subject) }

func subject(c child.Config, counter *child.Counter) (child.Subject, error) {
	switch c.Row {
	case "raw":
		return follower.New(c, counter, watchdecoder.RawObject(), nil)
	case "compact":
		return follower.New(c, counter, compact.JSON[pod](), nil)
	case "lazy":
		return follower.New(c, counter, watchdecoder.LazyObject[pod](), nil)
	case "five":
		return follower.New(c, counter, watchdecoder.JSON[pod](), func(p *pod) string { return p.Spec.NodeName })
	case "metadata":
		return follower.New(c, counter, watchdecoder.MetadataObject(), nil)
	}
	return child.Subject{}, fmt.Errorf("unknown row %q", c.Row)
}
