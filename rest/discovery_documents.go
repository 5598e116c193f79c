package rest

import (
	"cmp"
	"strings"
)

// The discovery documents, as far as they are read. One shape serves all of them:
// which one came is told by kind.

// discoveryDocument is an APIGroupDiscoveryList (apidiscovery.k8s.io/v2), or the
// legacy APIVersions, APIGroupList or APIResourceList (meta/v1).
type discoveryDocument struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Items      []aggregatedGroup `json:"items"`     // APIGroupDiscoveryList
	Versions   []string          `json:"versions"`  // APIVersions
	Groups     []legacyGroup     `json:"groups"`    // APIGroupList
	Resources  []legacyResource  `json:"resources"` // APIResourceList
}

type aggregatedGroup struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Versions []aggregatedVersion `json:"versions"`
}

type aggregatedVersion struct {
	Version   string               `json:"version"`
	Freshness string               `json:"freshness"`
	Resources []aggregatedResource `json:"resources"`
}

type aggregatedResource struct {
	Resource     string `json:"resource"`
	ResponseKind struct {
		Kind string `json:"kind"`
	} `json:"responseKind"`
	Scope            string   `json:"scope"`
	SingularResource string   `json:"singularResource"`
	ShortNames       []string `json:"shortNames"`
	Verbs            []string `json:"verbs"`
	Categories       []string `json:"categories"`
}

type legacyGroup struct {
	Name             string          `json:"name"`
	Versions         []legacyVersion `json:"versions"`
	PreferredVersion legacyVersion   `json:"preferredVersion"`
}

type legacyVersion struct {
	Version string `json:"version"`
}

type legacyResource struct {
	Name         string   `json:"name"`
	SingularName string   `json:"singularName"`
	Namespaced   bool     `json:"namespaced"`
	Kind         string   `json:"kind"`
	ShortNames   []string `json:"shortNames"`
	Verbs        []string `json:"verbs"`
	Categories   []string `json:"categories"`
}

const (
	kindAggregated  = "APIGroupDiscoveryList"
	kindVersions    = "APIVersions"
	kindGroups      = "APIGroupList"
	kindResources   = "APIResourceList"
	freshnessStale  = "Stale"
	scopeNamespaced = "Namespaced"
)

// aggregated adds the groups of an APIGroupDiscoveryList. Versions come in the
// order of preference; stale ones are added after them with what was last known
// (client-go drops them), so that a name still resolves and the request itself
// shows what is wrong.
func (d *Discovery) aggregated(groups []aggregatedGroup) {
	for _, group := range groups {
		var stale []aggregatedVersion
		for _, version := range group.Versions {
			if version.Freshness == freshnessStale {
				stale = append(stale, version)
				continue
			}
			d.aggregatedVersion(group.Metadata.Name, version)
		}
		for _, version := range stale {
			d.fail(group.Metadata.Name, version.Version, errStale)
			d.aggregatedVersion(group.Metadata.Name, version)
		}
	}
}

func (d *Discovery) aggregatedVersion(group string, version aggregatedVersion) {
	for _, r := range version.Resources {
		if r.ResponseKind.Kind == "" {
			continue // only the parent of subresources, such as an aggregated API's
		}
		d.add(APIResource{
			Resource:   Resource{Group: group, Version: version.Version, Resource: r.Resource, Namespaced: r.Scope == scopeNamespaced},
			Kind:       r.ResponseKind.Kind,
			Singular:   cmp.Or(r.SingularResource, strings.ToLower(r.ResponseKind.Kind)),
			ShortNames: r.ShortNames,
			Verbs:      r.Verbs,
			Categories: r.Categories,
		})
	}
}

// legacyResources adds an APIResourceList. Subresources stand in it as
// "pods/status".
func (d *Discovery) legacyResources(group, version string, resources []legacyResource) {
	for _, r := range resources {
		if strings.Contains(r.Name, "/") {
			continue
		}
		d.add(APIResource{
			Resource:   Resource{Group: group, Version: version, Resource: r.Name, Namespaced: r.Namespaced},
			Kind:       r.Kind,
			Singular:   cmp.Or(r.SingularName, strings.ToLower(r.Kind)),
			ShortNames: r.ShortNames,
			Verbs:      r.Verbs,
			Categories: r.Categories,
		})
	}
}
