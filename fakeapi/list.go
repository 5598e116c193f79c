package fakeapi

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
)

func (s *Server) serveList(w http.ResponseWriter, q *request) error {
	o, err := s.parseListOptions(q)
	if err != nil {
		return err
	}
	if err := q.accept.form(q, true); err != nil {
		return err
	}
	p, err := s.read(q.http.Context(), q.collection, o, q.behind)
	if err != nil {
		return err
	}
	if q.accept == (accept{}) {
		s.streamList(w, q, p)
		return nil
	}
	s.writeJSON(w, q, http.StatusOK, q.accept.list(q, p))
	return nil
}

// streamList sends a list without building it first (KEP-5116).
func (s *Server) streamList(w http.ResponseWriter, q *request, p *page) {
	head, tail := q.collection.around(p)
	size := len(head) + len(tail) + 1
	for _, o := range p.objects {
		size += len(o.json) + 1
	}
	out, finish := s.body(w, q, http.StatusOK, size)
	b := bufio.NewWriterSize(out, min(size, 64<<10))
	_, _ = b.WriteString(head) // bufio keeps an error; a client that has gone ends the rest
	for i, o := range p.objects {
		if i > 0 {
			_ = b.WriteByte(',')
		}
		prefix, rest := o.item()
		_, _ = b.WriteString(prefix)
		if _, err := b.Write(rest); err != nil {
			break
		}
	}
	_, _ = b.WriteString(tail + "\n")
	_ = b.Flush()
	finish()
}

// read chooses the version a list is served at. Semantics:
// https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
func (s *Server) read(ctx context.Context, c *collection, o *listOptions, cache behind) (*page, error) {
	version, err := parseVersion(o.resourceVersion)
	if err != nil {
		return nil, badRequest("invalid resource version: " + err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.continueToken != "" {
		return s.readOn(ctx, c, o, version)
	}
	if err := s.awaitVersion(ctx, version, s.options.FreshWait); err != nil {
		return nil, err
	}
	p := &page{version: s.version}
	limit := o.limit
	switch {
	case o.oneObject(c.kind):
		limit = 0 // this is a read of one key; there is nothing to page
	case version == 0 && o.resourceVersion != "":
		limit = 0 // "0" is served from the cache in one piece
		p.version = cache.at(c, s.version)
	case o.match == matchExact, o.match == "" && version > 0 && limit > 0:
		// A limit with a bare version means that version exactly.
		p.version = version
		if version < c.floor {
			return nil, expired("The resourceVersion for the provided list is too old.")
		}
	case version > 0:
		if err := s.awaitCache(ctx, cache, c, version); err != nil {
			return nil, err
		}
		p.version = cache.at(c, s.version)
	}
	p.cut(c.at(p.version, o.namespace, ""), o, limit)
	return p, nil
}

// readOn serves a further page, at the version of the first.
func (s *Server) readOn(ctx context.Context, c *collection, o *listOptions, version uint64) (*page, error) {
	t, err := decodeContinue(o.continueToken)
	if err != nil {
		return nil, err
	}
	if version > 0 {
		return nil, badRequest("specifying resource version is not allowed when using continue")
	}
	p := &page{version: s.version}
	if t.Version > 0 {
		p.version = uint64(t.Version)
		if err := s.awaitVersion(ctx, p.version, s.options.FreshWait); err != nil {
			return nil, err
		}
		if p.version < c.floor {
			gone := expired("The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.")
			gone.Continue = continueToken{Version: -1, Start: t.Start}.encode()
			return nil, gone
		}
	}
	limit := o.limit
	if o.resourceVersion == "0" {
		limit = 0 // here too
	}
	p.cut(c.at(p.version, o.namespace, o.absolute(t.Start)), o, limit)
	return p, nil
}

// list renders a page: a built-in list begins with its type, a custom one has
// its keys sorted and says kind and apiVersion in every item.
func (a accept) list(q *request, p *page) []byte {
	k := q.collection.kind
	switch a.as {
	case "PartialObjectMetadataList":
		return a.partialList(p)
	case "Table":
		return a.table(q, p.objects, p.meta(), true)
	}
	head, tail := k.around(p)
	return append(appendItems([]byte(head), p), tail...)
}

// around is what stands before and after the items.
func (k *kind) around(p *page) (head, tail string) {
	if !k.custom {
		return fmt.Sprintf(`{"kind":"%sList","apiVersion":%q,"metadata":%s,"items":[`, k.Kind, k.APIVersion(), mustJSON(p.meta())), "]}"
	}
	meta := map[string]any{"continue": p.next, "resourceVersion": strconv.FormatUint(p.version, 10)}
	if p.remaining != nil {
		meta["remainingItemCount"] = *p.remaining
	}
	return fmt.Sprintf(`{"apiVersion":%q,"items":[`, k.APIVersion()),
		fmt.Sprintf(`],"kind":"%sList","metadata":%s}`, k.Kind, mustJSON(meta))
}

func appendItems(b []byte, p *page) []byte {
	for i, o := range p.objects {
		if i > 0 {
			b = append(b, ',')
		}
		head, tail := o.item()
		b = append(append(b, head...), tail...)
	}
	return b
}

func (p *page) meta() listMeta {
	return listMeta{ResourceVersion: strconv.FormatUint(p.version, 10), Continue: p.next, RemainingItemCount: p.remaining}
}
