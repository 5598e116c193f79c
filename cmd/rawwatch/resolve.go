package main

import (
	"context"
	"strings"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
)

// resolve asks the server for what the command line names. Paths need no answer.
func (s *session) resolve(ctx context.Context, all []wanted, verb string) ([]target, error) {
	var targets []target
	var discovery *rest.Discovery
	for _, w := range all {
		if w.path != "" {
			if s.selection.namespace != "" || s.selection.allNamespaces {
				return nil, usagef("a path says its namespace itself; leave out -n and -A")
			}
			targets = append(targets, target{label: w.path, path: w.path, query: w.query})
			continue
		}
		if discovery == nil {
			var err error
			if discovery, err = s.discover(ctx); err != nil {
				return nil, err
			}
		}
		resource, err := discovery.Find(w.resource)
		if err != nil {
			return nil, err
		}
		if len(resource.Verbs) > 0 && !resource.Can(verb) {
			return nil, usagef("%s cannot be asked to %s; it can: %s (a path asks all the same)", resource.GroupResource(), verb, strings.Join(resource.Verbs, ", "))
		}
		targets = append(targets, target{label: resource.GroupResource(), resource: resource, name: w.name, namespace: s.namespaceOf(resource)})
	}
	return targets, nil
}

// discover falls back on the built-in resources where the server does not let us ask. That is so for users with very few rights.
func (s *session) discover(ctx context.Context) (*rest.Discovery, error) {
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	discovery, err := rest.Discover(ctx, s.client)
	if status.IsForbidden(err) || status.IsNotFound(err) {
		s.notices.say("discovery is not available (%s); going on with the names of built-in resources", explain(err))
		return rest.NewDiscovery(rest.Builtin()), nil
	}
	return discovery, err
}

// namespaceOf is where to look: -A is stronger than -n, as in kubectl, and a resource without namespaces has none.
func (s *session) namespaceOf(r rest.APIResource) string {
	if !r.Namespaced || s.selection.allNamespaces {
		return ""
	}
	return s.config.Namespace
}
