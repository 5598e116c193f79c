package fakeapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The methods of this file act on the state as an administrator of etcd
// could: no authentication, no validation beyond what keeps the state sane.
// A resource is named as Resource.Name does ("pods", "deployments.apps",
// "widgets.example.com"). An object is a []byte, json.RawMessage or string of
// JSON, or anything encoding/json turns into an object; kind and apiVersion
// may be left out. Errors are *StatusError.

// Create adds an object. A namespaced object without a namespace goes to
// "default". A uid or creationTimestamp in the object is kept.
func (s *Server) Create(resource string, value any) (Object, error) {
	return s.direct(resource, value, func(c *collection, d *draft) (*object, error) {
		return s.create(c, d, writeOptions{keepSystem: true})
	})
}

// Update replaces an object, whatever its resourceVersion says. The uid and
// creationTimestamp of the stored object are kept.
func (s *Server) Update(resource string, value any) (Object, error) {
	return s.direct(resource, value, func(c *collection, d *draft) (*object, error) {
		d.meta.ResourceVersion = ""
		d.meta.UID = ""
		return s.replace(c, d, writeOptions{keepSystem: true})
	})
}

// Apply creates the object or, if its name is taken, updates it.
func (s *Server) Apply(resource string, value any) (Object, error) {
	return s.direct(resource, value, func(c *collection, d *draft) (*object, error) {
		if c.current(d.meta.key()) == nil {
			return s.create(c, d, writeOptions{keepSystem: true})
		}
		d.meta.ResourceVersion = ""
		d.meta.UID = ""
		return s.replace(c, d, writeOptions{keepSystem: true})
	})
}

// Delete removes an object at once, finalizers or not, and returns its last
// state at the version of the deletion.
func (s *Server) Delete(resource, namespace, name string) (Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.collection(resource)
	if err != nil {
		return Object{}, err
	}
	o := c.current(c.key(namespace, name))
	if o == nil {
		return Object{}, notFound(c.kind, name)
	}
	return s.remove(c, o).public(), nil
}

// Get returns the present state of an object.
func (s *Server) Get(resource, namespace, name string) (Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.collection(resource)
	if err != nil {
		return Object{}, err
	}
	o := c.current(c.key(namespace, name))
	if o == nil {
		return Object{}, notFound(c.kind, name)
	}
	return o.public(), nil
}

// List returns the present state of a collection in the order of the server's
// lists, and the version it stands at. An empty namespace means all.
func (s *Server) List(resource, namespace string) ([]Object, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.collection(resource)
	if err != nil {
		return nil, 0, err
	}
	all := make([]Object, 0, len(c.keys))
	for _, o := range c.at(s.version, namespace, "") {
		all = append(all, o.public())
	}
	return all, s.version, nil
}

// Resources returns every registered resource, in the order of discovery.
func (s *Server) Resources() []Resource {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Resource, 0, len(s.order))
	for _, c := range s.order {
		all = append(all, c.Resource)
	}
	return all
}

func (s *Server) direct(resource string, value any, write func(*collection, *draft) (*object, error)) (Object, error) {
	data, err := toJSON(value)
	if err != nil {
		return Object{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.collection(resource)
	if err != nil {
		return Object{}, err
	}
	d, err := parseObject(c.kind, data)
	if err != nil {
		return Object{}, err
	}
	if c.Namespaced && d.meta.Namespace == "" {
		d.meta.Namespace = "default"
	}
	o, err := write(c, d)
	if err != nil {
		return Object{}, err
	}
	return o.public(), nil
}

func toJSON(object any) ([]byte, error) {
	switch o := object.(type) {
	case []byte:
		return o, nil
	case json.RawMessage:
		return o, nil
	case string:
		return []byte(o), nil
	case Object:
		return o.JSON, nil
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, badRequest(err.Error())
	}
	return data, nil
}

// collection finds a resource by any of the names people use for it that are
// unambiguous: pods, deployments.apps, deployments.v1.apps.
func (s *Server) collection(name string) (*collection, error) {
	if c := s.byName[name]; c != nil {
		return c, nil
	}
	for _, c := range s.order {
		if name == c.Resource.Resource+"."+c.Version+"."+c.Group {
			return c, nil
		}
	}
	near := slices.DeleteFunc(slices.Sorted(maps.Keys(s.byName)), func(n string) bool {
		return !strings.HasPrefix(n, name+".")
	})
	if len(near) > 0 {
		return nil, badRequest(fmt.Sprintf("resource %q is not registered; did you mean %q?", name, near[0]))
	}
	return nil, badRequest(fmt.Sprintf("resource %q is not registered", name))
}

// key is a namespaced kind's namespace/name; other kinds ignore the namespace.
func (k *kind) key(namespace, name string) string {
	if !k.Namespaced {
		return name
	}
	if namespace == "" {
		namespace = "default"
	}
	return objectKey(namespace, name)
}
