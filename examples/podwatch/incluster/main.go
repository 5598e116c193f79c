// Incluster is podwatch for a pod: without kubeconfig, and so without YAML. Its size is printed beside that of podwatch.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// Pod declares what this program reads; the decoder skips the rest.
type Pod struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
		PodIP string `json:"podIP"`
	} `json:"status"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "incluster:", rest.Explain(err))
		os.Exit(1)
	}
}

func run() error {
	config, err := rest.InClusterConfig(rest.InClusterOptions{})
	if err != nil {
		return err
	}
	client, err := rest.NewClient(config)
	if err != nil {
		return err
	}
	defer client.Close()

	pods := informer.New(client, rest.Pods, watchdecoder.JSON[Pod](), informer.Options{})
	byNode := informer.AddIndex(pods, func(p *Pod, dst []string) []string { return append(dst, p.Spec.NodeName) })
	pods.Subscribe(informer.Handler[*Pod]{OnEvent: func(e informer.Event[*Pod]) {
		pod := e.New
		if e.Kind == informer.Deleted {
			pod = e.Old
		}
		beside := 0
		for range byNode.Get(pod.Spec.NodeName) {
			beside++
		}
		fmt.Printf("%-8s %-60s %-10s %-16s %s (%d pods)\n",
			e.Kind, e.Key, pod.Status.Phase, pod.Status.PodIP, pod.Spec.NodeName, beside)
	}})
	return pods.Run(context.Background())
}
