package fakeapi

import (
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// accept is the representation that was agreed on: JSON of the object itself,
// or of what it is to be turned into.
type accept struct {
	as      string // "", PartialObjectMetadata, PartialObjectMetadataList or Table
	version string // of meta.k8s.io, if as is set
	pretty  bool
}

// clause is one media range of an Accept header.
type clause struct {
	mediaType string
	params    map[string]string
	quality   float64
}

// parseAccept returns the clauses by falling quality, equal ones in order.
func parseAccept(header string) []clause {
	var all []clause
	for part := range strings.SplitSeq(header, ",") {
		mediaType, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		c := clause{mediaType: mediaType, params: params, quality: 1}
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
			c.quality = q
		}
		if c.quality > 0 {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b clause) int { return cmp.Compare(b.quality, a.quality) })
	return all
}

func (c *clause) allowsJSON() bool {
	return c.mediaType == "application/json" || c.mediaType == "application/*" || c.mediaType == "*/*"
}

// negotiate chooses the first clause that JSON can satisfy.
func negotiate(q *request) (accept, error) {
	header := strings.Join(q.http.Header.Values("Accept"), ",")
	if header == "" {
		return accept{pretty: pretty(q)}, nil
	}
	clauses := parseAccept(header)
	if !q.collection.custom && !slices.ContainsFunc(clauses, clause.known) {
		return accept{}, &StatusError{
			Code: http.StatusNotAcceptable, Reason: "NotAcceptable",
			Message: "406: Not Acceptable\n\nAvailable representations: application/json", Details: &StatusDetails{},
		}
	}
	for _, c := range clauses {
		if a, ok := c.resourceForm(); ok {
			a.pretty = a.pretty || pretty(q)
			return a, nil
		}
	}
	return accept{}, notAcceptable("only the following media types are accepted: application/json")
}

// known says that the real server's router lets the media type through to
// the handler of a built-in resource, which may still refuse it.
func (c clause) known() bool {
	switch c.mediaType {
	case "application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "*/*":
		return true
	}
	return false
}

// resourceForm reads the parameters as, g and v of a clause for a resource.
func (c *clause) resourceForm() (accept, bool) {
	if !c.allowsJSON() {
		return accept{}, false
	}
	if stream := c.params["stream"]; stream != "" && stream != "watch" {
		return accept{}, false
	}
	a := accept{as: c.params["as"], version: c.params["v"], pretty: c.params["pretty"] == "1"}
	group := c.params["g"]
	if a.as == "" && a.version == "" && group == "" {
		return a, true
	}
	known := a.as == "PartialObjectMetadata" || a.as == "PartialObjectMetadataList" || a.as == "Table"
	return a, known && group == "meta.k8s.io" && (a.version == "v1" || a.version == "v1beta1")
}

// pretty asks for indented output: people with curl get it unasked.
func pretty(q *request) bool {
	if values, present := q.query["pretty"]; present && values[0] != "" {
		return queryBool(q.query, "pretty")
	}
	agent := q.http.UserAgent()
	return strings.HasPrefix(agent, "curl") || strings.HasPrefix(agent, "Wget") || strings.HasPrefix(agent, "Mozilla/5.0")
}

// form checks that a representation suits what is sent.
func (a accept) form(q *request, list bool) error {
	switch include := q.query.Get("includeObject"); {
	case a.as == "Table" && include != "" && include != "Metadata" && include != "Object" && include != "None":
		return badRequest(fmt.Sprintf("Unable to convert to Table as requested: includeObject: Invalid value: %q: must be 'Metadata', 'Object', 'None', or empty", include))
	case a.as == "PartialObjectMetadata" && list:
		return notAcceptable("you requested PartialObjectMetadata, but the requested object is a list")
	case a.as == "PartialObjectMetadataList" && !list && q.collection.custom && q.verb == "get":
		return &StatusError{Code: http.StatusInternalServerError, Message: "content is not a list"}
	case a.as == "PartialObjectMetadataList" && !list:
		return notAcceptable("you requested PartialObjectMetadataList, but the requested object is not a list")
	}
	return nil
}

func notAcceptable(why string) error {
	return &StatusError{Code: http.StatusNotAcceptable, Reason: "NotAcceptable", Message: why}
}

// acceptsGzip follows the real server: gzip has to be named, its quality is
// not looked at.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, _, _ := strings.Cut(part, ";")
		if strings.TrimSpace(coding) == "gzip" {
			return true
		}
	}
	return false
}

// checkContentType refuses request bodies other than JSON.
func checkContentType(r *http.Request, allowed ...string) error {
	header := r.Header.Get("Content-Type")
	if header == "" {
		header = "application/json"
	}
	mediaType, _, err := mime.ParseMediaType(header)
	if err == nil && slices.Contains(allowed, mediaType) {
		return nil
	}
	return &StatusError{
		Code: http.StatusUnsupportedMediaType, Reason: "UnsupportedMediaType",
		Message: fmt.Sprintf("the body of the request was in an unknown format - accepted media types include: %s", strings.Join(allowed, ", ")),
	}
}
