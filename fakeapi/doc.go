// Package fakeapi is a Kubernetes API server that runs inside a test.
//
// It lists, watches, streams initial lists, pages, compacts, selects and
// writes any registered resource, and answers mistakes in the words of the
// real server, over any net.Listener or over an in-memory network that works
// inside a testing/synctest bubble. It is written against net/http and shares
// no code with the clients it tests. The module's conformance tests hold it to
// kube-apiserver: the same requests to both, and the answers compared.
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
// order given; only apiVersion, kind, metadata, spec and status are put in the
// real server's order. There is no admission, no garbage collection of owned
// objects, no graceful deletion, no managedFields, and of defaulting only a
// Pod's and a Namespace's phase in a create that brings no status; the status
// may also be written through the object itself. A namespace need not exist to
// be used, and starts out empty. The only encoding is JSON, the only patch a
// merge patch; others are answered with 406 or 415. One version of a resource
// is served, the subresource status and no other.
//
// Two things differ in time: the cache is never behind etcd and never
// initializing, and a bookmark comes as soon as its interval is over even if
// nothing has happened since the watch began, where a real server waits for
// its etcd to move, which there it always does.
package fakeapi
