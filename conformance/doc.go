// Package conformance holds what is compared with Kubernetes itself: a real
// kube-apiserver and etcd, and client-go. It is a module of its own so that
// none of their hundreds of packages reach the requirements of rawwatch.
package conformance
