package fakeapi

import (
	"encoding/json"
)

// single renders one object in the agreed form.
func (a accept) single(q *request, o *object) []byte {
	switch a.as {
	case "PartialObjectMetadata":
		return a.partial(o.meta)
	case "Table":
		return a.table(q, []*object{o}, listMeta{ResourceVersion: o.meta.ResourceVersion}, true)
	}
	return o.json
}

// partialObject is metav1.PartialObjectMetadata.
type partialObject struct {
	Kind       string     `json:"kind"`
	APIVersion string     `json:"apiVersion"`
	Metadata   objectMeta `json:"metadata"`
}

func (a accept) partialOf(m objectMeta) partialObject {
	return partialObject{"PartialObjectMetadata", "meta.k8s.io/" + a.version, m}
}

func (a accept) partial(m objectMeta) []byte { return mustJSON(a.partialOf(m)) }

func (a accept) partialList(p *page) []byte {
	items := make([]partialObject, 0, len(p.objects))
	for _, o := range p.objects {
		items = append(items, a.partialOf(o.meta))
	}
	return mustJSON(struct {
		Kind       string          `json:"kind"`
		APIVersion string          `json:"apiVersion"`
		Metadata   listMeta        `json:"metadata"`
		Items      []partialObject `json:"items"`
	}{"PartialObjectMetadataList", "meta.k8s.io/" + a.version, p.meta(), items})
}

// column is metav1.TableColumnDefinition.
type column struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Format      string `json:"format"`
	Description string `json:"description"`
	Priority    int    `json:"priority"`
}

// columns are those of the real server's converter for types without printer
// columns of their own.
var columns = []column{
	{"Name", "string", "name", "Name must be unique within a namespace.", 0},
	{"Created At", "date", "", "CreationTimestamp is the time at which the object was created.", 0},
}

type row struct {
	Cells  []any           `json:"cells"`
	Object json.RawMessage `json:"object"`
}

// table renders objects as a metav1.Table; the rows of a watch after its first
// come without the columns.
func (a accept) table(q *request, objects []*object, meta listMeta, withColumns bool) []byte {
	rows := make([]row, 0, len(objects))
	for _, o := range objects {
		rows = append(rows, a.row(q, o))
	}
	t := struct {
		Kind       string   `json:"kind"`
		APIVersion string   `json:"apiVersion"`
		Metadata   listMeta `json:"metadata"`
		Columns    []column `json:"columnDefinitions"`
		Rows       []row    `json:"rows"`
	}{Kind: "Table", APIVersion: "meta.k8s.io/" + a.version, Metadata: meta, Rows: rows}
	if withColumns {
		t.Columns = columns
	}
	return mustJSON(t)
}

func (a accept) row(q *request, o *object) row {
	r := row{Cells: []any{o.meta.Name, o.meta.CreationTimestamp}}
	marker := o.meta.Annotations[markerAnnotation] != "" // it is never left out
	switch include := q.query.Get("includeObject"); {
	case include == "Object":
		r.Object = o.json
	case include != "None" || marker:
		r.Object = a.partial(o.meta)
	}
	return r
}
