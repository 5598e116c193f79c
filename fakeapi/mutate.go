package fakeapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxBody is the real server's limit for the body of a write.
const maxBody = 3 << 20

func (s *Server) serveCreate(w http.ResponseWriter, q *request) error {
	custom := q.collection.custom
	if q.single != "" && !custom || q.collection.Namespaced && q.namespace == "" {
		return methodNotAllowed()
	}
	q.single = "" // the router of custom resources lets a name pass, unread
	d, err := q.readObject(w, q.collection.kind, "application/json")
	if err != nil {
		return err
	}
	if d.meta.ResourceVersion != "" {
		return errVersionOnCreate()
	}
	return s.write(w, q, http.StatusCreated, func(o writeOptions) (*object, error) {
		return s.create(q.collection, d, o)
	})
}

func (s *Server) serveUpdate(w http.ResponseWriter, q *request) error {
	if err := q.needName(); err != nil {
		return err
	}
	d, err := q.readObject(w, q.collection.kind, "application/json")
	if err != nil {
		return err
	}
	return s.write(w, q, http.StatusOK, func(o writeOptions) (*object, error) {
		o.versioned = q.collection.custom
		return s.replace(q.collection, d, o)
	})
}

func (q *request) needName() error {
	switch {
	case q.single != "":
		return nil
	case q.collection.custom:
		return badRequest("name must be provided")
	}
	return methodNotAllowed()
}

// servePatch applies an RFC 7396 merge patch.
func (s *Server) servePatch(w http.ResponseWriter, q *request) error {
	if err := q.needName(); err != nil {
		return err
	}
	if err := checkPatchType(q); err != nil {
		return err
	}
	patch, err := readBody(w, q, mergePatchType)
	if err != nil {
		return err
	}
	if !json.Valid(patch) {
		return badRequest("invalid JSON patch")
	}
	c := q.collection
	return s.write(w, q, http.StatusOK, func(o writeOptions) (*object, error) {
		before := c.current(objectKey(q.objectNamespace(), q.single))
		if before == nil {
			return nil, notFound(c.kind, q.single)
		}
		// Without a version in the patch it applies to whatever is there.
		merged, err := mergePatch(before.json, patch)
		if err != nil {
			return nil, badRequest(err.Error())
		}
		d, err := q.parse(c.kind, merged)
		if err != nil {
			return nil, err
		}
		return s.replace(c, d, o)
	})
}

// write runs a mutation under the lock and answers with its result.
func (s *Server) write(w http.ResponseWriter, q *request, code int, f func(writeOptions) (*object, error)) error {
	if err := q.accept.form(q, false); err != nil {
		return err
	}
	options := map[string]string{"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions"}[q.verb]
	if err := checkDryRun(options, q.query["dryRun"]); err != nil {
		return err
	}
	o := writeOptions{dryRun: len(q.query["dryRun"]) > 0, status: q.subresource == "status"}
	s.mu.Lock()
	after, err := f(o)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	s.writeJSON(w, q, code, q.accept.single(q, after))
	return nil
}

const mergePatchType = "application/merge-patch+json"

// checkPatchType refuses what the real server's router does not know, in its
// words; patches that only we do not know are refused with the body.
func checkPatchType(q *request) error {
	switch mediaType, _, _ := strings.Cut(q.http.Header.Get("Content-Type"), ";"); strings.TrimSpace(mediaType) {
	case mergePatchType, "application/json-patch+json", "application/strategic-merge-patch+json", "application/apply-patch+yaml":
		return nil
	}
	if q.collection.custom {
		return nil
	}
	return &StatusError{Code: http.StatusUnsupportedMediaType, Reason: "UnsupportedMediaType", Message: "415: Unsupported Media Type", Details: &StatusDetails{}}
}

// checkDryRun knows one way of not doing a thing.
func checkDryRun(options string, values []string) error {
	for _, v := range values {
		if v != "All" {
			return invalid("meta.k8s.io", options, "", []StatusCause{{
				Reason: "FieldValueNotSupported", Message: fmt.Sprintf(`Unsupported value: %s: supported values: "All"`, mustJSON(values)), Field: "dryRun",
			}})
		}
	}
	return nil
}

func methodNotAllowed() error {
	return &StatusError{
		Code: http.StatusMethodNotAllowed, Reason: "MethodNotAllowed",
		Message: "the server does not allow this method on the requested resource",
		Details: &StatusDetails{},
	}
}

func readBody(w http.ResponseWriter, q *request, allowed ...string) ([]byte, error) {
	if err := checkContentType(q.http, allowed...); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, q.http.Body, maxBody))
	var tooLong *http.MaxBytesError
	if errors.As(err, &tooLong) {
		return nil, &StatusError{
			Code: http.StatusRequestEntityTooLarge, Reason: "RequestEntityTooLarge",
			Message: fmt.Sprintf("Request entity too large: limit is %d", maxBody),
		}
	}
	if err != nil {
		return nil, badRequest(err.Error())
	}
	return body, nil
}

func (q *request) readObject(w http.ResponseWriter, k *kind, allowed ...string) (*draft, error) {
	body, err := readBody(w, q, allowed...)
	if err != nil {
		return nil, err
	}
	return q.parse(k, body)
}

// parse reads an object and checks that it is the one the path names.
func (q *request) parse(k *kind, body []byte) (*draft, error) {
	if err := k.checkType(body); err != nil {
		return nil, err
	}
	d, err := parseObject(k, body)
	if err != nil {
		return nil, err
	}
	m := &d.meta
	if q.single != "" {
		if m.Name == "" {
			m.Name = q.single
		}
		if m.Name != q.single {
			return nil, badRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", m.Name, q.single))
		}
	}
	namespace := q.objectNamespace()
	if m.Namespace == "" {
		m.Namespace = namespace
	}
	if m.Namespace != namespace {
		return nil, badRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return d, nil
}

// mergePatch is RFC 7396 section 2, on members so that order is kept.
func mergePatch(target, patch json.RawMessage) (json.RawMessage, error) {
	members, err := parseFields(patch)
	if err != nil {
		return patch, nil // not an object: it replaces the target
	}
	base, err := parseFields(target)
	if err != nil {
		base = nil // "If Target is not an Object: Target = {}"
	}
	d := draft{content: base}
	for _, m := range members {
		if string(bytes.TrimSpace(m.value)) == "null" {
			d.put(m.name, json.RawMessage("null"))
			continue
		}
		value, err := mergePatch(d.get(m.name), m.value)
		if err != nil {
			return nil, err
		}
		d.put(m.name, value)
	}
	b := []byte{'{'}
	for i, f := range d.content {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, mustJSON(f.name)...), ':'), f.value...)
	}
	return append(b, '}'), nil
}
