package fakeapi

import (
	"context"
	"net/http"
)

func (s *Server) serveGet(w http.ResponseWriter, q *request) error {
	if err := q.accept.form(q, false); err != nil {
		return err
	}
	version, err := parseVersion(q.query.Get("resourceVersion"))
	if err != nil {
		return &StatusError{Code: http.StatusInternalServerError, Message: err.Error()}
	}
	o, err := s.readOne(q.http.Context(), q.collection, q.objectNamespace(), q.single, version)
	if err != nil {
		return err
	}
	s.writeJSON(w, q, http.StatusOK, q.accept.single(q, o))
	return nil
}

// readOne returns an object no older than a version.
func (s *Server) readOne(ctx context.Context, c *collection, namespace, name string, version uint64) (*object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.awaitVersion(ctx, version, s.options.FreshWait); err != nil {
		return nil, err
	}
	o := c.current(objectKey(namespace, name))
	if o == nil {
		return nil, notFound(c.kind, name)
	}
	return o, nil
}
