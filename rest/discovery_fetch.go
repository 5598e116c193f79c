package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/rawwatch/rawwatch/status"
)

const (
	// acceptDiscovery asks for the aggregated document (KEP-3352, GA in 1.30) and
	// takes the legacy one.
	acceptDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

	// maxDiscoveryBytes bounds a document. A plain server's is 0.3 MB, a custom
	// resource adds about 1 KB.
	maxDiscoveryBytes = 8 << 20
	// maxDiscoveryObjects and maxDiscoveryValues bound what stands in it: decoded,
	// an empty object or string takes up to fifty times its text. A custom resource
	// has about six objects and 40 values.
	maxDiscoveryObjects = 64 << 10
	maxDiscoveryValues  = 512 << 10
	// maxLegacyVersions bounds the requests of the legacy form, one per group and
	// version. Busy clusters have about 100.
	maxLegacyVersions = 2000
)

var (
	errStale           = errors.New("stale: the server could not refresh it")
	errNotDiscovery    = errors.New("not a discovery document")
	errTooMuch         = errors.New("more in it than any server has")
	errTooManyVersions = errors.New("left out: too many group versions")
)

// Discover asks the server which resources it has: the aggregated documents at
// /api and /apis in two requests, or the legacy ones from servers before 1.30, one
// request per group and version.
//
// A part that cannot be read - an aggregated API server that is down, a core group
// that is not there - is reported by Failed and is no error. An error means that
// nothing was learned: the context ended, the credentials were refused, neither
// document could be read. It is that of Client.Do, or an *Error of PhaseBody for a
// 200 that is no discovery document.
func Discover(ctx context.Context, c *Client) (*Discovery, error) {
	f := discoveryFetch{client: c, found: &Discovery{}}
	for _, path := range []string{"/api", "/apis"} {
		err := f.root(ctx, path)
		switch {
		case err == nil:
		case tolerable(err):
			f.found.fail(path, "", err)
		default:
			return nil, err
		}
	}
	switch found := f.found; {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case len(found.resources) == 0 && len(found.failed) > 0:
		return nil, found.failed[0].Err
	}
	return f.found, nil
}

// discoveryFetch is one Discover.
type discoveryFetch struct {
	client   *Client
	found    *Discovery
	requests int // for documents of single versions
}

// tolerable errors of a root document leave the other one: a server may have no
// core group, and a user may be allowed one root only. client-go has it so.
func tolerable(err error) bool { return status.IsNotFound(err) || status.IsForbidden(err) }

// root reads /api or /apis in either form.
func (f *discoveryFetch) root(ctx context.Context, path string) error {
	doc, err := f.document(ctx, path, acceptDiscovery)
	if status.IsNotAcceptable(err) {
		// A server that knows the media type but not the parameters may say 406.
		doc, err = f.document(ctx, path, "application/json")
	}
	if err != nil {
		return err
	}
	switch doc.Kind {
	case kindAggregated:
		f.found.aggregated(doc.Items)
	case kindVersions:
		f.versions(ctx, "", doc.Versions)
	case kindGroups:
		for _, group := range doc.Groups {
			f.versions(ctx, group.Name, group.inOrder())
		}
	default:
		return notDiscovery(path, errNotDiscovery)
	}
	return nil
}

// inOrder returns the versions, the preferred one first.
func (g legacyGroup) inOrder() []string {
	versions := make([]string, 0, len(g.Versions))
	for _, v := range g.Versions {
		if v.Version == g.PreferredVersion.Version {
			versions = slices.Insert(versions, 0, v.Version)
		} else {
			versions = append(versions, v.Version)
		}
	}
	return versions
}

// versions reads the APIResourceList of each version; a failure concerns that
// version alone.
func (f *discoveryFetch) versions(ctx context.Context, group string, versions []string) {
	for _, version := range versions {
		err := f.version(ctx, group, version)
		if err != nil {
			f.found.fail(group, version, err)
		}
		if err == errTooManyVersions {
			return
		}
	}
}

func (f *discoveryFetch) version(ctx context.Context, group, version string) error {
	if f.requests++; f.requests > maxLegacyVersions {
		return errTooManyVersions
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	path, err := groupVersionPath(group, version)
	if err != nil {
		return err
	}
	doc, err := f.document(ctx, path, "application/json")
	if err != nil {
		return err
	}
	if doc.Kind != kindResources {
		return notDiscovery(path, errNotDiscovery)
	}
	f.found.legacyResources(group, version, doc.Resources)
	return nil
}

// document gets and decodes one document.
func (f *discoveryFetch) document(ctx context.Context, path, accept string) (*discoveryDocument, error) {
	response, err := f.client.Do(ctx, Request{Path: path, Accept: accept, Gzip: true})
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, maxDiscoveryBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxDiscoveryBytes {
		return nil, notDiscovery(path, errTooLarge{maxDiscoveryBytes})
	}
	if bytes.Count(data, []byte("{")) > maxDiscoveryObjects || bytes.Count(data, []byte(",")) > maxDiscoveryValues {
		return nil, notDiscovery(path, errTooMuch)
	}
	doc := &discoveryDocument{}
	if err := json.Unmarshal(data, doc); err != nil {
		return nil, notDiscovery(path, err)
	}
	return doc, nil
}

func notDiscovery(path string, cause error) error {
	return &Error{Phase: PhaseBody, Rule: "the answer to GET " + quote(path) + " is no discovery document", Err: cause}
}

// groupVersionPath is the path of a version's APIResourceList.
func groupVersionPath(group, version string) (string, error) {
	// The path of a resource below it, cut off: the same rules hold.
	path, err := Resource{Group: group, Version: version, Resource: "x"}.BuildPath("", "")
	return strings.TrimSuffix(path, "/x"), err
}
