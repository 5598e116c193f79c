package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// deleteOptions is the part of metav1.DeleteOptions that is obeyed.
type deleteOptions struct {
	Preconditions struct {
		UID             *string `json:"uid"`
		ResourceVersion *string `json:"resourceVersion"`
	} `json:"preconditions"`
	DryRun []string `json:"dryRun"`
}

func readDeleteOptions(w http.ResponseWriter, q *request) (*deleteOptions, error) {
	body, err := readBody(w, q, "application/json")
	if err != nil {
		return nil, err
	}
	o := &deleteOptions{}
	if len(body) > 0 {
		if err := json.Unmarshal(body, o); err != nil {
			return nil, badRequest(err.Error())
		}
	}
	o.DryRun = append(o.DryRun, q.query["dryRun"]...)
	return o, checkDryRun("DeleteOptions", o.DryRun)
}

func (o *deleteOptions) check(k *kind, ob *object) error {
	p := o.Preconditions
	switch {
	case p.UID != nil && *p.UID != ob.meta.UID:
		return k.kindConflict(ob.meta.Name, fmt.Sprintf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *p.UID, ob.meta.UID))
	case p.ResourceVersion != nil && *p.ResourceVersion != ob.meta.ResourceVersion:
		return k.kindConflict(ob.meta.Name, fmt.Sprintf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *p.ResourceVersion, ob.meta.ResourceVersion))
	}
	return nil
}

// kindConflict names the kind where others name the resource, as the real
// server does for preconditions.
func (k *kind) kindConflict(name, why string) *StatusError {
	named := *k
	named.Resource.Resource = k.Kind
	return conflict(&named, name, why)
}

func (s *Server) serveDelete(w http.ResponseWriter, q *request) error {
	o, err := readDeleteOptions(w, q)
	if err != nil {
		return err
	}
	if err := q.accept.form(q, false); err != nil {
		return err
	}
	after, gone, err := s.deleteOne(q, o)
	if err != nil {
		return err
	}
	k := q.collection.kind
	if gone && !k.returned {
		s.writeJSON(w, q, http.StatusOK, mustJSON(statusObject{
			Kind: "Status", APIVersion: "v1", Status: "Success",
			Details: &StatusDetails{Name: after.meta.Name, Group: k.Group, Kind: k.Resource.Resource, UID: after.meta.UID},
		}))
		return nil
	}
	s.writeJSON(w, q, http.StatusOK, q.accept.single(q, after))
	return nil
}

// deleteOne removes an object, or marks it if finalizers hold it.
func (s *Server) deleteOne(q *request, o *deleteOptions) (after *object, gone bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := q.collection
	ob := c.current(objectKey(q.objectNamespace(), q.single))
	if ob == nil {
		return nil, false, notFound(c.kind, q.single)
	}
	if err := o.check(c.kind, ob); err != nil {
		return nil, false, err
	}
	held := len(ob.meta.Finalizers) > 0
	switch {
	case len(o.DryRun) > 0:
		return ob, !held, nil
	case held:
		return s.terminate(c, ob), false, nil
	}
	return s.remove(c, ob), true, nil
}

// serveDeleteCollection deletes what a list would show and returns that list.
func (s *Server) serveDeleteCollection(w http.ResponseWriter, q *request) error {
	if q.collection.Namespaced && q.namespace == "" {
		return methodNotAllowed()
	}
	options, err := s.parseListOptions(q)
	if err != nil {
		return err
	}
	o, err := readDeleteOptions(w, q)
	if err != nil {
		return err
	}
	if err := q.accept.form(q, true); err != nil {
		return err
	}
	p, err := s.read(q.http.Context(), q.collection, options, q.behind)
	if err != nil {
		return err
	}
	if len(o.DryRun) == 0 {
		s.deleteAll(q.collection, p.objects)
	}
	s.writeJSON(w, q, http.StatusOK, q.accept.list(q, p))
	return nil
}

func (s *Server) deleteAll(c *collection, objects []*object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range objects {
		ob := c.current(o.meta.key())
		switch {
		case ob == nil: // somebody else was faster
		case len(ob.meta.Finalizers) > 0:
			s.terminate(c, ob)
		default:
			s.remove(c, ob)
		}
	}
}
