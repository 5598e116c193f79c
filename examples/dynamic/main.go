// Dynamic follows a custom resource twice through one factory: as the bytes that the server sent, and as a struct of the
// program's own. Usage: dynamic GROUP VERSION PLURAL, as in: dynamic example.com v1 widgets
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// condition is what many custom resources have in common.
type condition struct {
	Type   string `json:"type"`
	Status string `json:"status"`
}

type custom struct {
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: dynamic GROUP VERSION PLURAL")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	gvr := schema.GroupVersionResource{Group: os.Args[1], Version: os.Args[2], Resource: os.Args[3]}
	if err := run(ctx, gvr); err != nil {
		fmt.Fprintln(os.Stderr, "dynamic:", rest.Explain(err))
		os.Exit(1)
	}
}

func run(ctx context.Context, gvr schema.GroupVersionResource) error {
	config, err := rest.LoadConfig(rest.LoadOptions{})
	if err != nil {
		return err
	}
	client, err := rest.NewClient(config)
	if err != nil {
		return err
	}
	defer client.Close()

	factory := informer.NewFactory(client, informer.FactoryOptions{})
	defer factory.Shutdown()
	raw, err := factory.ForResource(gvr)
	if err != nil {
		return err
	}
	resource := rest.Resource{Group: gvr.Group, Version: gvr.Version, Resource: gvr.Resource, Namespaced: true}
	typed, err := informer.For(factory, resource, watchdecoder.JSON[custom](), informer.Options{})
	if err != nil {
		return err
	}
	raw.Subscribe(informer.Handler[watchdecoder.Raw]{OnEvent: func(e informer.Event[watchdecoder.Raw]) {
		fmt.Printf("%-8s %s: %d bytes\n", e.Kind, e.Key, max(len(e.New), len(e.Old)))
	}})
	factory.Start(ctx)

	wait, enough := context.WithTimeout(ctx, time.Minute)
	defer enough()
	if err := factory.WaitForCacheSync(wait); err != nil {
		return err
	}
	for key, object := range typed.Lister().All() {
		for _, c := range object.Status.Conditions {
			fmt.Printf("%s is %s=%s\n", key, c.Type, c.Status)
		}
	}
	<-ctx.Done()
	return nil
}
