package execplugin_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/rest/execplugin"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// A kubeconfig of a managed cluster names a plugin. The same program runs in a pod, where no plugin is asked.
func Example() {
	config, err := rest.LoadConfig(rest.LoadOptions{
		Exec: execplugin.New(execplugin.Options{
			Allow:  []string{"aws", "gke-gcloud-auth-plugin", "kubelogin"},
			Stderr: log.Writer(), // where to log in, for those who watch
		}),
		SOCKS5: rest.SOCKS5,
	})
	if err != nil {
		log.Fatal(rest.Explain(err))
	}
	client, err := rest.NewClient(config)
	if err != nil {
		log.Fatal(rest.Explain(err))
	}
	defer client.Close()

	type pod struct {
		Status struct {
			Phase string `json:"phase"`
		} `json:"status"`
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	pods := informer.New(client, rest.Pods, watchdecoder.JSON[pod](), informer.Options{})
	pods.Subscribe(informer.Handler[*pod]{OnEvent: func(e informer.Event[*pod]) { fmt.Println(e.Kind, e.Key) }})
	if err := pods.Run(ctx); err != nil {
		log.Fatal(rest.Explain(err))
	}
}
