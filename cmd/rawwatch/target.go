package main

import (
	"net/url"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/fields"

	"github.com/rawwatch/rawwatch/rest"
)

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

// typeName is what stands before an object's name: "deployments.apps". A path of a collection tells it.
func (t *target) typeName() string {
	if t.path == "" {
		return t.label
	}
	segments := strings.Split(strings.Trim(t.path, "/"), "/")
	name := segments[len(segments)-1]
	if segments[0] == "apis" && len(segments) > 2 {
		name += "." + segments[1]
	}
	return name
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
