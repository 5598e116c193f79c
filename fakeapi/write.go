package fakeapi

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

// writeOptions are what separates a client's write from a direct one.
type writeOptions struct {
	// keepSystem lets the object bring its own uid and timestamps.
	keepSystem bool
	// dryRun does everything but the write.
	dryRun bool
	// status writes the status alone, !status everything.
	status bool
	// versioned refuses an update that does not say which version it is of.
	versioned bool
}

// create stores a new object. The mutex is held.
func (s *storage) create(c *collection, d *draft, o writeOptions) (*object, error) {
	m := &d.meta
	if m.Name == "" && m.GenerateName != "" {
		m.Name = s.random.name(m.GenerateName)
	}
	if err := d.checkName(); err != nil {
		return nil, err
	}
	if c.current(m.key()) != nil {
		return nil, alreadyExists(c.kind, m.Name)
	}
	if !o.keepSystem || m.UID == "" {
		m.UID = s.random.uid()
	}
	if !o.keepSystem || m.CreationTimestamp == "" {
		m.CreationTimestamp = now()
	}
	if !o.keepSystem {
		d.fill()
		m.DeletionTimestamp, m.DeletionGracePeriodSeconds = "", nil
	}
	m.SelfLink, m.Generation = "", 0
	if c.counted {
		m.Generation = 1
	}
	if o.dryRun {
		m.ResourceVersion = ""
		return &object{draft: *d, json: d.render()}, nil
	}
	after := d.at(s.version + 1)
	s.commit(c, &change{after: after})
	return after, nil
}

// replace stores a new state of an existing object. The mutex is held.
func (s *storage) replace(c *collection, d *draft, o writeOptions) (*object, error) {
	m := &d.meta
	before := c.current(m.key())
	if before == nil {
		return nil, notFound(c.kind, m.Name)
	}
	if o.versioned && m.ResourceVersion == "" {
		return nil, invalid(c.Group, c.Resource.Resource, m.Name, []StatusCause{{
			Reason: "FieldValueInvalid", Message: "Invalid value: 0: must be specified for an update", Field: "metadata.resourceVersion",
		}})
	}
	if err := mayReplace(c.kind, before, m); err != nil {
		return nil, err
	}
	if o.status {
		d = before.withStatus(d)
		m = &d.meta
	}
	old := &before.meta
	m.UID, m.SelfLink, m.Generation = old.UID, "", old.Generation
	if !o.keepSystem || m.CreationTimestamp == "" {
		m.CreationTimestamp = old.CreationTimestamp
	}
	if !o.keepSystem || m.DeletionTimestamp == "" {
		m.DeletionTimestamp, m.DeletionGracePeriodSeconds = old.DeletionTimestamp, old.DeletionGracePeriodSeconds
	}
	if c.counted && !d.sameSpec(&before.draft, c.status) {
		m.Generation++
	}
	if same := d.at(before.version); bytes.Equal(same.json, before.json) {
		return before, nil // a write that changes nothing is no write
	}
	if o.dryRun {
		return d.at(before.version), nil
	}
	if m.DeletionTimestamp != "" && len(m.Finalizers) == 0 && len(old.Finalizers) > 0 {
		// The last finalizer has gone, so the object goes too. This state is
		// not stored: the event shows the one before, and the answer carries
		// its version.
		s.remove(c, before)
		return d.at(before.version), nil
	}
	after := d.at(s.version + 1)
	s.commit(c, &change{before: before, after: after})
	return after, nil
}

func mayReplace(k *kind, before *object, m *objectMeta) error {
	if _, err := strconv.ParseUint(m.ResourceVersion, 10, 64); err != nil && m.ResourceVersion != "" {
		return &StatusError{Code: http.StatusInternalServerError, Message: err.Error()}
	}
	switch {
	case m.ResourceVersion != "" && m.ResourceVersion != before.meta.ResourceVersion:
		return conflict(k, m.Name, "the object has been modified; please apply your changes to the latest version and try again")
	case m.UID != "" && m.UID != before.meta.UID:
		return conflict(k, m.Name, fmt.Sprintf("StorageError: invalid object, Code: 4, Key: /registry/%s/%s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object meta: %s",
			k.Resource.Resource, m.key(), m.UID, before.meta.UID))
	}
	return nil
}

// withStatus is the stored state with the status of a draft.
func (o *object) withStatus(d *draft) *draft {
	next := o.draft
	if status := d.get("status"); status != nil {
		next.put("status", status)
	} else {
		next.put("status", json.RawMessage("null"))
	}
	return &next
}

// sameSpec says whether everything but metadata, and status where it is a
// subresource, is as it was: other writes do not count as a generation.
func (d *draft) sameSpec(old *draft, status bool) bool {
	strip := func(d *draft) []field {
		return slices.DeleteFunc(slices.Clone(d.content), func(f field) bool { return status && f.name == "status" })
	}
	return slices.EqualFunc(strip(d), strip(old), func(a, b field) bool {
		return a.name == b.name && bytes.Equal(a.value, b.value)
	})
}

// remove deletes an object at once.
func (s *storage) remove(c *collection, before *object) *object {
	gone := before.at(s.version + 1)
	s.commit(c, &change{before: before, gone: gone})
	return gone
}

// terminate marks an object that finalizers keep from going.
func (s *storage) terminate(c *collection, before *object) *object {
	if before.meta.DeletionTimestamp != "" {
		return before
	}
	d := before.draft
	zero := int64(0)
	d.meta.DeletionTimestamp, d.meta.DeletionGracePeriodSeconds = now(), &zero
	if c.counted {
		d.meta.Generation++
	}
	after := d.at(s.version + 1)
	s.commit(c, &change{before: before, after: after})
	return after
}

// fill sets the few defaults without which a selector or a reader would go
// astray.
func (d *draft) fill() {
	switch d.kind.Name() {
	case "namespaces":
		labels := map[string]string{"kubernetes.io/metadata.name": d.meta.Name}
		maps.Copy(labels, d.meta.Labels)
		d.meta.Labels = labels
		d.putMissing("spec", `{"finalizers":["kubernetes"]}`)
		d.putMissing("status", `{"phase":"Active"}`)
	case "pods":
		d.putMissing("status", `{"phase":"Pending"}`)
	}
}

func (d *draft) putMissing(name, value string) {
	if d.get(name) == nil {
		d.put(name, json.RawMessage(value))
	}
}

func (s *storage) commit(c *collection, ch *change) {
	ch.version = s.version + 1
	c.commit(ch)
	s.advance(ch.version)
	s.tell(c, ch)
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// checkName refuses what could not be a path segment or a key.
func (d *draft) checkName() error {
	k, m := d.kind, &d.meta
	cause := StatusCause{Reason: "FieldValueRequired", Message: "Required value: name or generateName is required", Field: "metadata.name"}
	if m.Name != "" {
		if k.Group == "rbac.authorization.k8s.io" {
			return nil // these may hold colons
		}
		wrong := validation.IsDNS1123Subdomain(m.Name)
		if len(wrong) == 0 {
			return nil
		}
		cause.Reason, cause.Message = "FieldValueInvalid", fmt.Sprintf("Invalid value: %q: %s", m.Name, wrong[0])
	}
	return invalid(k.Group, k.Kind, m.Name, []StatusCause{cause})
}

// errVersionOnCreate is what the real storage layer says; it is no API error
// there either, hence the 500 without a reason.
func errVersionOnCreate() error {
	return &StatusError{Code: http.StatusInternalServerError, Message: "resourceVersion should not be set on objects to be created"}
}

// uid makes a random (version 4) UUID.
func (r *random) uid() string {
	b := r.bytes(16)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// name appends five characters, of an alphabet without vowels and look-alikes,
// to a prefix that is cut to fit a DNS label.
func (r *random) name(prefix string) string {
	const alphabet = "bcdfghjklmnpqrstvwxz2456789"
	b := r.bytes(5)
	for i := range b {
		b[i] = alphabet[int(b[i])%len(alphabet)]
	}
	return prefix[:min(len(prefix), 63-len(b))] + string(b)
}
