// Package fakeapi is a Kubernetes API server that runs inside a test.
//
// It lists, watches, streams initial lists, pages, compacts, selects and
// writes any registered resource, and answers mistakes in the words of the
// real server, over any net.Listener or over an in-memory network that works
// inside a testing/synctest bubble. It is written against net/http and shares
// no code with the clients it tests.
//
//	server := fakeapi.New(fakeapi.Options{})
//	defer server.Close()
//	server.Create("pods", `{"metadata":{"namespace":"default","name":"a"}}`)
//	client := server.HTTPClient() // or any client that dials with server.Dial
//	client.Get(server.URL() + "/api/v1/pods")
//
// A Server does the right thing by default. A test changes one answer with
// InterceptOnce, all of them with Intercept or Use, frames of a watch with
// RewriteEvents, and the state underneath with Create, Update, Delete,
// Compact, Restore and their like, which go round authorization and HTTP.
//
// # Limits
//
// Built-in types have no schema here: any field is accepted and kept in the
// order given; only apiVersion, kind and metadata are put in the real
// server's order. There is no defaulting, no admission, no garbage collection
// of owned objects and no graceful deletion; a namespace need not exist to be
// used. Encodings other than JSON are answered with 406 or 415.
package fakeapi
