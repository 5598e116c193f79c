package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
)

// Change is one write that the server has acknowledged.
type Change struct {
	Type            string // of the watch event it must cause: ADDED, MODIFIED, DELETED
	Namespace       string
	Name            string
	UID             string
	ResourceVersion string
}

// Writer changes the objects of one API version and keeps the history of what
// it did, in order: the truth that watchers are held to. It is safe for
// concurrent use, but only a single writer's history is in the server's order.
type Writer struct {
	client  *Client
	prefix  string // "/api/v1"
	plural  string // "pods"
	mu      sync.Mutex
	history []Change
}

// NewWriter returns a writer of the resource called plural under prefix.
func NewWriter(c *Client, prefix, plural string) *Writer {
	return &Writer{client: c, prefix: prefix, plural: plural}
}

// History returns a copy of all changes so far.
func (w *Writer) History() []Change {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.history)
}

// Create posts object, a JSON object with a name, into namespace.
func (w *Writer) Create(ctx context.Context, namespace string, object []byte) (Change, error) {
	return w.write(ctx, "ADDED", http.MethodPost, w.path(namespace, ""), "application/json", object)
}

// Patch applies a JSON merge patch that must change the object: one that
// changes nothing makes no event.
func (w *Writer) Patch(ctx context.Context, namespace, name string, patch []byte) (Change, error) {
	return w.write(ctx, "MODIFIED", http.MethodPatch, w.path(namespace, name), "application/merge-patch+json", patch)
}

// Delete removes the object at once, without a grace period.
func (w *Writer) Delete(ctx context.Context, namespace, name string) (Change, error) {
	body := []byte(`{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0}`)
	return w.write(ctx, "DELETED", http.MethodDelete, w.path(namespace, name), "application/json", body)
}

func (w *Writer) path(namespace, name string) string {
	path := w.prefix
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	path += "/" + w.plural
	if name != "" {
		path += "/" + name
	}
	return path
}

func (w *Writer) write(ctx context.Context, event, method, path, contentType string, body []byte) (Change, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	response, err := w.client.Do(ctx, method, path, http.Header{"Content-Type": {contentType}}, body)
	if err != nil {
		return Change{}, err
	}
	if response.Code >= 300 {
		return Change{}, fmt.Errorf("%s %s: %d %s", method, path, response.Code, response.Body)
	}
	var object struct {
		Metadata struct{ Namespace, Name, UID, ResourceVersion string }
	}
	if err := json.Unmarshal(response.Body, &object); err != nil {
		return Change{}, fmt.Errorf("%s %s: %w", method, path, err)
	}
	m := object.Metadata
	change := Change{Type: event, Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion}
	w.history = append(w.history, change)
	return change, nil
}
