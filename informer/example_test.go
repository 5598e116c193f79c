package informer_test

import (
	"context"
	"fmt"
	"log"

	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

type Pod struct { // declare what you read; the decoder skips the rest
	Spec   struct{ NodeName string } `json:"spec"`
	Status struct{ PodIP string }    `json:"status"`
}

// The informer of the README. It is compiled, not run: it needs a cluster.
func Example() {
	ctx := context.Background()
	config, err := rest.LoadConfig(rest.LoadOptions{}) // kubeconfig as kubectl finds it, or the pod's service account
	if err != nil {
		log.Fatal(err)
	}
	client, err := rest.NewClient(config)
	if err != nil {
		log.Fatal(err)
	}
	pods := informer.New(client, rest.Pods, watchdecoder.JSON[Pod](), informer.Options{})
	byNode := informer.AddIndex(pods, func(p *Pod, dst []string) []string { return append(dst, p.Spec.NodeName) })
	pods.Subscribe(informer.Handler[*Pod]{
		OnAdd:    func(e informer.Event[*Pod]) { fmt.Println("new", e.Key, e.New.Status.PodIP) },
		OnDelete: func(e informer.Event[*Pod]) { fmt.Println("gone", e.Key, "relist noticed:", e.Stale) },
	})
	go pods.Run(ctx)
	if err := pods.WaitSync(ctx); err != nil {
		log.Fatal(err) // it says why: a refusal, a certificate, an answer that is no list
	}
	for key := range byNode.Get("node-7") {
		fmt.Println("on node-7:", key)
	}
}
