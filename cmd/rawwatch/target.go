package main

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/fields"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
)

// wanted is what the command line asks for, before the server was asked what that is.
type wanted struct {
	resource string // as typed; "" for a path
	name     string // of one object, "" for all
	path     string
	query    url.Values // of the path
}

// parseWanted reads the positional arguments as kubectl does: TYPE[,TYPE...] [NAME], or TYPE/NAME ..., or paths.
func parseWanted(args []string) ([]wanted, error) {
	switch {
	case len(args) == 0:
		return nil, usagef("name a resource (pods, deploy, pods,svc) or an API path (/api/v1/pods)")
	case strings.HasPrefix(args[0], "/"):
		return parseEach(args, parsePath, "a path and something else cannot be mixed")
	case strings.Contains(args[0], "/"):
		return parseEach(args, parseTypeName, "TYPE/NAME and something else cannot be mixed")
	case len(args) > 2:
		return nil, usagef("one name at a time: %d were given", len(args)-1)
	}
	name := ""
	if len(args) == 2 {
		if name = args[1]; strings.Contains(name, "/") {
			return nil, usagef("a resource and a path cannot be mixed; several resources are written %s,%s", args[0], "svc")
		}
	}
	var all []wanted
	for resource := range strings.SplitSeq(args[0], ",") {
		if resource == "" {
			return nil, usagef("an empty name among the resources %q", args[0])
		}
		all = append(all, wanted{resource: resource, name: name})
	}
	if name != "" && len(all) > 1 {
		return nil, usagef("a name needs one resource, not %d", len(all))
	}
	return all, nil
}

func parseEach(args []string, parse func(string) (wanted, error), mixed string) ([]wanted, error) {
	var all []wanted
	for _, arg := range args {
		if strings.HasPrefix(arg, "/") != strings.HasPrefix(args[0], "/") || !strings.Contains(arg, "/") {
			return nil, usagef("%s", mixed)
		}
		w, err := parse(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

func parseTypeName(arg string) (wanted, error) {
	resource, name, _ := strings.Cut(arg, "/")
	if resource == "" || name == "" || strings.Contains(name, "/") || strings.Contains(resource, ",") {
		return wanted{}, usagef("%q is not TYPE/NAME", arg)
	}
	return wanted{resource: resource, name: name}, nil
}

func parsePath(arg string) (wanted, error) {
	path, query, _ := strings.Cut(arg, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return wanted{}, usagef("the query of %q cannot be read", path)
	}
	return wanted{path: path, query: values}, nil
}

// isCollection says whether a path leads to objects that can be listed and watched: /api/V/R, /apis/G/V/R, either with namespaces/N before R.
func isCollection(path string) bool {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(segments) > 2 && segments[0] == "api":
		segments = segments[2:]
	case len(segments) > 3 && segments[0] == "apis":
		segments = segments[3:]
	default:
		return false
	}
	switch len(segments) {
	case 1:
		return segments[0] != "watch"
	case 3:
		// namespaces/N/status and /finalize are parts of the namespace itself.
		return segments[0] == "namespaces" && segments[2] != "status" && segments[2] != "finalize"
	}
	return false
}

// target is a place on the server.
type target struct {
	label     string // what output calls it: "pods", "deployments.apps", the path
	resource  rest.APIResource
	namespace string
	path      string
	query     url.Values // of the path
	name      string
}

// location is the path to request.
func (t *target) location() (string, error) {
	if t.path != "" {
		return t.path, nil
	}
	return t.resource.BuildPath(t.namespace, "")
}

// collection says whether it can be listed and watched.
func (t *target) collection() bool { return t.path == "" || isCollection(t.path) }

// listOptions are the parameters that the command line gives for this target; those of a path's query stand where no flag says otherwise.
func (t *target) listOptions(s selectionFlags) (rest.ListOptions, error) {
	o, err := fromQuery(t.query)
	if err != nil {
		return o, err
	}
	if s.selector != "" {
		o.LabelSelector = s.selector
	}
	if s.fieldSelector != "" {
		o.FieldSelector = s.fieldSelector
	}
	if t.name != "" {
		byName := "metadata.name=" + fields.EscapeValue(t.name)
		if o.FieldSelector != "" {
			byName += "," + o.FieldSelector
		}
		o.FieldSelector = byName
	}
	return o, nil
}

// fromQuery reads a query as the options they are, so that a resume can replace them; parameters without an option are passed on.
func fromQuery(q url.Values) (rest.ListOptions, error) {
	var o rest.ListOptions
	number := func(to *int64, name, value string) error {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return usagef("%s=%q in the path is not a number", name, value)
		}
		*to = n
		return nil
	}
	for name := range q {
		value := q.Get(name)
		var err error
		switch name {
		case "labelSelector":
			o.LabelSelector = value
		case "fieldSelector":
			o.FieldSelector = value
		case "resourceVersion":
			o.ResourceVersion = value
		case "resourceVersionMatch":
			o.ResourceVersionMatch = value
		case "continue":
			o.Continue = value
		case "limit":
			err = number(&o.Limit, name, value)
		case "timeoutSeconds":
			err = number(&o.TimeoutSeconds, name, value)
		case "watch": // the command says it
		case "sendInitialEvents":
			var yes triState
			if err = yes.Set(value); err != nil {
				err = usagef("%s=%q in the path is neither true nor false", name, value)
			}
			o.SendInitialEvents = yes.value
		default:
			if o.Extra == nil {
				o.Extra = url.Values{}
			}
			o.Extra[name] = q[name]
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

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
