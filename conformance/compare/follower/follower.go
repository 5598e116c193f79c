// Package follower is this project's informer under measurement, for any codec.
package follower

import (
	"context"

	"github.com/rawwatch/rawwatch/conformance/compare/child"
	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// New returns the informers that c asks for; node is what an object is indexed by where c says so, nil for no reading.
func New[T any](c child.Config, counter *child.Counter, codec watchdecoder.Codec[T], node func(T) string) (child.Subject, error) {
	client, err := rest.NewClient(rest.Config{Server: c.URL, CAData: c.CA})
	if err != nil {
		return child.Subject{}, err
	}
	var informers []*informer.Informer[T]
	for _, namespace := range c.Namespaces() {
		i := informer.New(client, rest.Pods, codec, informer.Options{Namespaces: []string{namespace}})
		i.Subscribe(informer.Handler[T]{Policy: informer.Block, OnEvent: func(e informer.Event[T]) {
			if e.Initial {
				counter.Added()
			} else {
				counter.Updated(e.ResourceVersion)
			}
		}})
		informers = append(informers, i)
	}
	s := child.Subject{Keep: informers, Start: func() error {
		for _, i := range informers {
			go func() { panic(i.Run(context.Background())) }()
		}
		return nil
	}}
	if c.Reads && node != nil {
		s.Reads = reading(informers[0], node, c.Objects)
	}
	return s, nil
}
