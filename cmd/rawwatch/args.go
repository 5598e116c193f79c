package main

import (
	"net/url"
	"strings"
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
