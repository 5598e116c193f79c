// Full is this project's informer of whole pods under measurement: the one program on this side that links Kubernetes' API types.
package main

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/rawwatch/rawwatch/conformance/compare/child"
	"github.com/rawwatch/rawwatch/conformance/compare/follower"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

func main() {
	child.Main(func(c child.Config, counter *child.Counter) (child.Subject, error) {
		return follower.New(c, counter, watchdecoder.JSON[corev1.Pod](), func(p *corev1.Pod) string { return p.Spec.NodeName })
	})
}
