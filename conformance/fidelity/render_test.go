package fidelity

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// versions gives names to the resourceVersions of one server, so that two
// servers' answers can be compared.
type versions struct {
	name map[string]string // "417": "pod-a.1"
	last uint64            // the newest of them
}

func newVersions() *versions { return &versions{name: map[string]string{}} }

func (v *versions) learn(name, version string) {
	v.name[version] = name
	if n, err := strconv.ParseUint(version, 10, 64); err == nil {
		v.last = max(v.last, n)
	}
}

// symbol names a version: that of a known write, or "current" for one that is
// not older than the newest write.
func (v *versions) symbol(version string) string {
	if version == "" || version == "0" {
		return strconv.Quote(version)
	}
	n, err := strconv.ParseUint(version, 10, 64)
	switch {
	case err != nil:
		return "garbage:" + version
	case n >= v.last:
		return "current"
	case v.name[version] != "":
		return v.name[version]
	}
	return "other"
}

// renderHead shows what a client decides on before the body. Whether a short
// answer has a Content-Length depends on net/http's buffer and is not shown;
// a watch never has one.
func renderHead(code int, h http.Header, length int64, watch bool) string {
	line := fmt.Sprintf("%d %s", code, h.Get("Content-Type"))
	if watch && code == http.StatusOK {
		line += fmt.Sprintf(" content-length=%d", length)
	}
	for _, name := range []string{"Cache-Control", "Retry-After", "Warning", "Allow", "Www-Authenticate", "Vary", "Location", "X-Content-Type-Options"} {
		if values := h.Values(name); len(values) > 0 {
			line += fmt.Sprintf(" %s=%q", name, values)
		}
	}
	if h.Get("Audit-Id") == "" {
		line += " no-audit-id"
	}
	return line
}

// renderBody shows each JSON value of a body on lines of its own.
func (v *versions) renderBody(contentType string, body []byte) string {
	if !strings.HasPrefix(contentType, "application/json") {
		if strings.HasPrefix(contentType, "text/") {
			return strconv.Quote(string(body)) + "\n"
		}
		return "(not JSON)\n"
	}
	values, err := parse(body)
	var b strings.Builder
	for _, value := range values {
		v.render(&b, value)
	}
	if err != nil {
		fmt.Fprintf(&b, "%v\n", err)
	}
	return b.String()
}

func (v *versions) render(b *strings.Builder, value any) {
	o, ok := value.(object)
	if !ok {
		fmt.Fprintf(b, "%T\n", value)
		return
	}
	kind := o.text("kind")
	switch {
	case slices.Equal(o.keys(), []string{"type", "object"}) && isTimed(o):
		// Bookmarks but the marker come when their time has come.
	case slices.Equal(o.keys(), []string{"type", "object"}):
		fmt.Fprintf(b, "%s ", o.text("type"))
		v.render(b, o.get("object"))
	case kind == "Status":
		v.renderStatus(b, o)
	case kind == "Table":
		v.renderTable(b, o)
	case o.get("metadata", "resourceVersion") == nil && o.get("metadata", "uid") == nil: // not that of a dry run either
		renderDiscovery(b, o)
	case o.get("items") != nil:
		v.renderList(b, o)
	default:
		v.renderObject(b, o)
	}
}

func isTimed(event object) bool {
	if event.text("type") != "BOOKMARK" {
		return false
	}
	text, err := marshal(event)
	return err == nil && !strings.Contains(string(text), "k8s.io/initial-events-end")
}

func (v *versions) renderList(b *strings.Builder, o object) {
	fmt.Fprintf(b, "%s %s {%s}", o.text("apiVersion"), o.text("kind"), join(o.keys()))
	v.renderListMeta(b, o)
	items, _ := o.get("items").([]any)
	fmt.Fprintf(b, " %d items\n", len(items))
	for _, item := range items {
		b.WriteString("  ")
		v.render(b, item)
	}
}

func (v *versions) renderListMeta(b *strings.Builder, o object) {
	meta, _ := o.get("metadata").(object)
	for _, m := range meta {
		switch m.key {
		case "resourceVersion":
			fmt.Fprintf(b, " resourceVersion=%s", v.symbol(fmt.Sprint(m.value)))
		case "continue":
			fmt.Fprintf(b, " continue=%v", m.value != "")
		default:
			fmt.Fprintf(b, " %s=%v", m.key, m.value)
		}
	}
}

// compared are the parts of an object that a server without schemas can have
// too; defaulting, status and managedFields are the real server's alone.
var (
	comparedKeys = []string{"kind", "apiVersion", "metadata", "spec", "data", "size"}
	comparedMeta = []string{"name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
		"deletionGracePeriodSeconds", "labels", "annotations", "finalizers", "ownerReferences"}
)

func only(keys, wanted []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !slices.Contains(wanted, key) })
}

func (v *versions) renderObject(b *strings.Builder, o object) {
	meta, _ := o.get("metadata").(object)
	fmt.Fprintf(b, "%q {%s} {%s} %s/%s %s", o.text("apiVersion")+" "+o.text("kind"), join(only(o.keys(), comparedKeys)),
		join(only(meta.keys(), comparedMeta)), meta.text("namespace"), meta.text("name"), v.symbol(meta.text("resourceVersion")))
	for _, key := range []string{"labels", "annotations"} {
		if value := meta.get(key); value != nil {
			text, _ := marshal(value)
			fmt.Fprintf(b, " %s=%s", key, text)
		}
	}
	b.WriteByte('\n')
}

// renderDiscovery shows documents about the API: their shape, and of their
// lists the entries that both servers have.
func renderDiscovery(b *strings.Builder, o object) {
	text, err := marshal(keepShared(o))
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(b, "%s\n", masked.ReplaceAllString(string(text), `"$1":"..."`))
}

var (
	shared = []string{"pods", "pods/status", "status", "deployments", "widgets", "apps", "example.com", "v1", "apps/v1", "example.com/v1"}
	masked = regexp.MustCompile(`"(storageVersionHash|serverAddress|git[A-Z][a-z]+|buildDate|goVersion|compiler|platform)":"[^"]*"`)
)

func keepShared(value any) any {
	switch value := value.(type) {
	case object:
		out := make(object, len(value))
		for i, m := range value {
			out[i] = member{m.key, keepShared(m.value)}
		}
		return out
	case []any:
		out := []any{}
		for _, element := range value {
			if o, ok := element.(object); ok && !slices.Contains(shared, entryName(o)) {
				continue
			}
			out = append(out, keepShared(element))
		}
		return out
	}
	return value
}

func entryName(o object) string {
	for _, path := range [][]string{{"name"}, {"metadata", "name"}, {"resource"}, {"subresource"}, {"version"}, {"groupVersion"}} {
		if name := o.text(path...); name != "" {
			return name
		}
	}
	return "v1" // nothing that names it: kept
}

func (v *versions) renderTable(b *strings.Builder, o object) {
	fmt.Fprintf(b, "%s Table {%s}", o.text("apiVersion"), join(o.keys()))
	v.renderListMeta(b, o)
	columns, _ := o.get("columnDefinitions").([]any)
	if len(columns) > 0 { // the others are made for each kind
		column, _ := columns[0].(object)
		fmt.Fprintf(b, " %s:%s", column.text("name"), column.text("type"))
	}
	b.WriteByte('\n')
	rows, _ := o.get("rows").([]any)
	for _, r := range rows {
		row, _ := r.(object)
		cells, _ := row.get("cells").([]any)
		fmt.Fprintf(b, "  row {%s} %v ", join(row.keys()), cells[:min(1, len(cells))])
		if row.get("object") == nil {
			b.WriteString("no object\n")
			continue
		}
		v.render(b, row.get("object"))
	}
}

var (
	number  = regexp.MustCompile(`[0-9]+`)
	uuid    = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	goTypes = regexp.MustCompile(` \(\*[a-zA-Z.]+\)$`)
	// Other encodings than JSON are the real server's alone.
	mediaTypes = regexp.MustCompile(`(are accepted:|Available representations:|media types include:) .*`)
)

// renderStatus shows a Status whole; in its words versions and counters are
// masked, which differ between servers for good reasons.
func (v *versions) renderStatus(b *strings.Builder, o object) {
	text, err := marshal(maskStatus(o))
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(b, "%s\n", text)
}

func maskStatus(value any) any {
	switch value := value.(type) {
	case object:
		out := make(object, len(value))
		for i, m := range value {
			out[i] = member{m.key, maskStatus(m.value)}
			switch text, isText := m.value.(string); {
			case m.key == "message" && isText:
				text = number.ReplaceAllString(uuid.ReplaceAllString(text, "uid"), "#")
				text = goTypes.ReplaceAllString(text, "")
				out[i].value = mediaTypes.ReplaceAllString(text, "$1 ...")
			case m.key == "uid":
				out[i].value = "uid"
			case m.key == "resourceVersion" && text != "":
				out[i].value = "version"
			case m.key == "continue" && text != "":
				out[i].value = "token"
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = maskStatus(value[i])
		}
		return out
	}
	return value
}
