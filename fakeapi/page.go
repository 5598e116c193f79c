package fakeapi

import (
	"encoding/base64"
	"encoding/json"
	"path"
	"strings"
)

// continueToken is where a page ended: the version all pages are read at and
// the first key not yet sent, relative to the namespace of the list. Version
// -1 means whatever is newest.
type continueToken struct {
	APIVersion string `json:"v"`
	Version    int64  `json:"rv"`
	Start      string `json:"start"`
}

func (t continueToken) encode() string {
	t.APIVersion = "meta.k8s.io/v1"
	return base64.RawURLEncoding.EncodeToString(mustJSON(t))
}

func decodeContinue(value string) (continueToken, error) {
	var t continueToken
	bad := func(why string) (continueToken, error) {
		return t, badRequest("invalid continue token: continue key is not valid: " + why)
	}
	data, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return bad(err.Error())
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return bad(err.Error())
	}
	switch {
	case t.APIVersion != "meta.k8s.io/v1":
		return bad("server does not recognize this encoded version " + t.APIVersion)
	case t.Version == 0:
		return bad("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case t.Start == "":
		return bad("encoded start key empty (version meta.k8s.io/v1)")
	case path.Clean("/"+t.Start) != "/"+strings.TrimPrefix(t.Start, "/"):
		return bad(t.Start) // no climbing out of the namespace
	}
	return t, nil
}

// page is one answer of a list.
type page struct {
	version   uint64
	objects   []*object
	next      string // continue token
	remaining *int
}

// cut takes the first limit matching objects of all, which stand at version.
func (p *page) cut(all []*object, o *listOptions, limit int64) {
	for i, ob := range all {
		if !o.matches(ob) {
			continue
		}
		p.objects = append(p.objects, ob)
		if limit <= 0 || int64(len(p.objects)) < limit {
			continue
		}
		if i == len(all)-1 {
			return
		}
		p.next = continueToken{Version: int64(p.version), Start: o.relative(ob.meta.key()) + "\x00"}.encode()
		if o.everything() { // the count of what a selector would pass is not known
			n := len(all) - int(limit)
			p.remaining = &n
		}
		return
	}
}

// relative is a key as continue tokens of this list hold it.
func (o *listOptions) relative(key string) string {
	if o.namespace == "" {
		return key
	}
	return strings.TrimPrefix(key, o.namespace+"/")
}

func (o *listOptions) absolute(start string) string {
	if o.namespace == "" {
		return start
	}
	return o.namespace + "/" + start
}
