package fakeapi

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// listOptions is metav1.ListOptions as a query string carries it.
type listOptions struct {
	selection
	watch           bool
	bookmarks       bool
	resourceVersion string
	match           string // resourceVersionMatch
	sendInitial     *bool
	timeoutSeconds  int64
	limit           int64
	continueToken   string
}

const (
	matchExact        = "Exact"
	matchNotOlderThan = "NotOlderThan"
)

// parseListOptions decodes, defaults and validates the query of a list, watch
// or deletecollection.
func (s *Server) parseListOptions(q *request) (*listOptions, error) {
	v := q.query
	o := &listOptions{
		watch:           q.verb == "watch",
		bookmarks:       queryBool(v, "allowWatchBookmarks"),
		resourceVersion: v.Get("resourceVersion"),
		match:           v.Get("resourceVersionMatch"),
		continueToken:   v.Get("continue"),
	}
	if _, present := v["sendInitialEvents"]; present {
		send := queryBool(v, "sendInitialEvents")
		o.sendInitial = &send
	}
	var err error
	if o.limit, err = queryInt(v, "limit"); err != nil {
		return nil, err
	}
	if o.timeoutSeconds, err = queryInt(v, "timeoutSeconds"); err != nil {
		return nil, err
	}
	if err := o.parseSelection(q); err != nil {
		return nil, err
	}
	mode := s.options.WatchList
	if mode == WatchListIgnored && o.watch {
		o.sendInitial, o.match = nil, "" // a server that never heard of them
		return o, nil
	}
	if mode == WatchListOn || mode == WatchListUnmarked {
		o.setDefaults()
	}
	if causes := o.validate(mode != WatchListRefused); len(causes) > 0 {
		return nil, invalid("meta.k8s.io", "ListOptions", "", causes)
	}
	return o, nil
}

func queryInt(v url.Values, key string) (int64, error) {
	value := v.Get(key)
	if value == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, badRequest(err.Error())
	}
	return n, nil
}

func (o *listOptions) parseSelection(q *request) error {
	var err error
	if o.labels, err = labels.Parse(q.query.Get("labelSelector")); err != nil {
		return badRequest(err.Error())
	}
	if o.fields, err = fields.ParseSelector(q.query.Get("fieldSelector")); err != nil {
		return badRequest(err.Error())
	}
	if err := q.collection.checkFields(o.fields); err != nil {
		return err
	}
	if q.single != "" { // the old path of a watch on one object
		if name, given := o.fields.RequiresExactMatch("metadata.name"); !o.fields.Empty() && (!given || name != q.single) {
			return badRequest("fieldSelector metadata.name doesn't match requested name")
		}
		o.fields = fields.OneTermEqualSelector("metadata.name", q.single)
	}
	o.namespace = q.objectNamespace()
	return nil
}

// setDefaults makes a watch from "" or "0" a watch-list where those are known:
// it begins with the state either way, but can now end it with a marker.
func (o *listOptions) setDefaults() {
	if !o.watch || o.sendInitial != nil || o.match != "" {
		return
	}
	if o.resourceVersion == "" || o.resourceVersion == "0" {
		send := true
		o.sendInitial, o.match = &send, matchNotOlderThan
	}
}

// oneObject says that a field selector names the object in full.
func (o *listOptions) oneObject(k *kind) bool {
	_, named := o.fields.RequiresExactMatch("metadata.name")
	return named && (o.namespace != "" || !k.Namespaced)
}

// marked says that initial events are to be ended by a marker bookmark.
func (o *listOptions) marked() bool { return o.initial() && o.bookmarks }

func (o *listOptions) initial() bool { return o.sendInitial != nil && *o.sendInitial }

func (o *listOptions) validate(watchList bool) []StatusCause {
	if o.watch {
		return o.validateWatch(watchList)
	}
	var causes []StatusCause
	if o.match != "" {
		if o.resourceVersion == "" {
			causes = append(causes, forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"))
		}
		if o.continueToken != "" {
			causes = append(causes, forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"))
		}
		if o.match != matchExact && o.match != matchNotOlderThan {
			causes = append(causes, notSupported("resourceVersionMatch", o.match, matchExact, matchNotOlderThan, ""))
		}
		if o.match == matchExact && o.resourceVersion == "0" {
			causes = append(causes, forbidden("resourceVersionMatch", `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`))
		}
	}
	if o.sendInitial != nil {
		causes = append(causes, forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
	}
	return causes
}

func (o *listOptions) validateWatch(watchList bool) []StatusCause {
	var causes []StatusCause
	if o.sendInitial != nil {
		if o.match != matchNotOlderThan {
			causes = append(causes, forbidden("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
		}
		if !watchList {
			causes = append(causes, forbidden("sendInitialEvents", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"))
		}
	}
	if o.match == "" {
		return causes
	}
	if o.sendInitial == nil {
		causes = append(causes, forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
	}
	if o.match != matchNotOlderThan {
		causes = append(causes, notSupported("resourceVersionMatch", o.match, matchNotOlderThan))
	}
	if o.continueToken != "" {
		causes = append(causes, forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"))
	}
	return causes
}

func forbidden(field, why string) StatusCause {
	return StatusCause{Reason: "FieldValueForbidden", Message: "Forbidden: " + why, Field: field}
}

func notSupported(field, value string, allowed ...string) StatusCause {
	quoted := make([]string, len(allowed))
	for i, a := range allowed {
		quoted[i] = strconv.Quote(a)
	}
	return StatusCause{
		Reason:  "FieldValueNotSupported",
		Message: fmt.Sprintf("Unsupported value: %q: supported values: %s", value, strings.Join(quoted, ", ")),
		Field:   field,
	}
}

// parseVersion reads a resourceVersion; "" and "0" are 0.
func parseVersion(s string) (uint64, error) {
	if s == "" {
		return 0, nil
	}
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("resourceVersion: Invalid value: %q: %w", s, err)
	}
	return v, nil
}

func itoa(n int) string { return strconv.Itoa(n) }
