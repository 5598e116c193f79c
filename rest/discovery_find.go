package rest

import (
	"strings"
)

// UnknownResourceError is a name that no resource of the server has.
type UnknownResourceError struct {
	Name string
	// Near are names that look like it, the nearest first: "pods", "deployments.apps".
	Near []string
	// Failed are the groups that could not be read; the resource may be in one of them.
	Failed []GroupFailure
}

// Error names the near matches.
func (e *UnknownResourceError) Error() string {
	text := "the server has no resource " + quote(e.Name)
	if len(e.Near) > 0 {
		text += "; did you mean " + strings.Join(e.Near, ", ") + "?"
	}
	if len(e.Failed) > 0 {
		text += " (not all groups could be read: " + e.Failed[0].Error() + ")"
	}
	return text
}

// Find resolves a resource as people name it to kubectl: plural, singular, short
// name or kind ("pods", "pod", "po", "Pod"), alone or followed by a group or by a
// version and a group ("deployments.apps", "deployments.v1.apps"); Resource.String
// too. A group may be shortened to a prefix when nothing has it as its name
// ("storageclass.storage").
//
// Case is ignored as kubectl ignores it: in plurals, singulars and kinds, not in
// short names and groups. Where several resources match, plural and singular names
// go before short names, short names before kinds, and then the order of All
// decides: the core group first, the preferred version first.
//
// The error is an *UnknownResourceError.
func (d *Discovery) Find(name string) (APIResource, error) {
	label, rest, qualified := strings.Cut(name, ".")
	for _, scope := range scopesOf(rest, qualified) {
		if r, ok := d.match(label, scope); ok {
			return r, nil
		}
	}
	return APIResource{}, &UnknownResourceError{Name: name, Near: d.near(label), Failed: d.Failed()}
}

// scope tells which resources a name is looked for in.
type scope func(Resource) bool

// scopesOf returns the readings of what follows the first dot, the likeliest first.
func scopesOf(rest string, qualified bool) []scope {
	if !qualified {
		return []scope{func(Resource) bool { return true }}
	}
	var scopes []scope
	if version, group, ok := strings.Cut(rest, "."); ok {
		// "deployments.v1.apps"; "pods.v1." is the core group.
		scopes = append(scopes, func(r Resource) bool { return r.Version == version && r.Group == group })
	}
	return append(scopes,
		func(r Resource) bool { return r.Version == rest && r.Group == "" },
		func(r Resource) bool { return r.Group == rest },
		func(r Resource) bool { return rest != "" && strings.HasPrefix(r.Group, rest) },
	)
}

// match looks in one scope: full names, then short names, then kinds.
func (d *Discovery) match(label string, in scope) (APIResource, bool) {
	for _, by := range []func(APIResource) bool{
		func(r APIResource) bool {
			return strings.EqualFold(label, r.Resource.Resource) || strings.EqualFold(label, r.Singular)
		},
		func(r APIResource) bool {
			for _, short := range r.ShortNames {
				if label == short {
					return true
				}
			}
			return false
		},
		func(r APIResource) bool { return strings.EqualFold(label, r.Kind) },
	} {
		for _, r := range d.resources {
			if in(r.Resource) && by(r) {
				return r, true
			}
		}
	}
	return APIResource{}, false
}
