package listwatch_test

import (
	"context"
	"fmt"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
)

// The loop ends when its body says so, when its context ends, or with an error.
func ExampleFollow() {
	api := fakeapi.New(fakeapi.Options{})
	defer api.Close()
	client, err := rest.NewClient(rest.Config{Server: api.URL(), Dial: api.Dial})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	if _, err := api.Create("configmaps", `{"metadata":{"name":"settings"}}`); err != nil {
		panic(err)
	}

	o := listwatch.Options{Resource: rest.ConfigMaps, Namespace: "default", FailUntilSynced: true}
	for event, err := range listwatch.Follow(context.Background(), client, o) {
		if err != nil {
			panic(err)
		}
		switch event.Kind {
		case listwatch.Added:
			fmt.Println("there is", event.Identity.Key())
		case listwatch.ReplaceEnd:
			if _, err := api.Delete("configmaps", "default", "settings"); err != nil {
				panic(err)
			}
		case listwatch.Deleted:
			fmt.Println("gone is", event.Identity.Key())
			return
		}
	}
	// Output:
	// there is default/settings
	// gone is default/settings
}

// A consumer that builds a copy shows it only when it is complete.
func ExampleReflector_Events() {
	api := fakeapi.New(fakeapi.Options{})
	defer api.Close()
	client, err := rest.NewClient(rest.Config{Server: api.URL(), Dial: api.Dial})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	if _, err := api.Create("configmaps", `{"metadata":{"name":"settings"}}`); err != nil {
		panic(err)
	}

	var shadow map[string]bool
	reflector := listwatch.New(client, listwatch.Options{Resource: rest.ConfigMaps})
	for event, err := range reflector.Events(context.Background()) {
		if err != nil {
			panic(err)
		}
		switch event.Kind {
		case listwatch.ReplaceBegin:
			shadow = make(map[string]bool)
		case listwatch.ReplaceItem:
			shadow[event.Identity.Key().String()] = true
		case listwatch.ReplaceRemove:
			delete(shadow, event.Identity.Key().String())
		case listwatch.ReplaceEnd:
			fmt.Println("complete:", shadow)
			return
		}
	}
	// Output: complete: map[default/settings:true]
}
