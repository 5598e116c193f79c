// Podsbyip answers which pod has an IP address: an index with several values for one object. It reads addresses from
// its standard input, one a line.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

type pod struct {
	Status struct {
		PodIPs []struct {
			IP string `json:"ip"`
		} `json:"podIPs"`
	} `json:"status"`
}

// addresses are the values of the index: a pod of a dual-stack cluster has two.
func addresses(p *pod, dst []string) []string {
	for _, ip := range p.Status.PodIPs {
		dst = append(dst, ip.IP)
	}
	return dst
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "podsbyip:", rest.Explain(err))
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := rest.LoadConfig(rest.LoadOptions{})
	if err != nil {
		return err
	}
	client, err := rest.NewClient(config)
	if err != nil {
		return err
	}
	defer client.Close()

	pods := informer.New(client, rest.Pods, watchdecoder.JSON[pod](), informer.Options{})
	byIP := informer.AddIndex(pods, addresses)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go pods.Run(ctx)

	wait, enough := context.WithTimeout(ctx, time.Minute)
	defer enough()
	if err := pods.WaitSync(wait); err != nil {
		return err // it says why: a refusal, a certificate, a server that never answers
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		found := false
		for key := range byIP.Get(lines.Text()) {
			fmt.Println(lines.Text(), key)
			found = true
		}
		if !found {
			fmt.Println(lines.Text(), "nobody")
		}
	}
	return nil
}
