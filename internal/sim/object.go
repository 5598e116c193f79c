package sim

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/informer"
)

// Resource is what a world's informer follows.
const Resource = "configmaps"

// Object is what the client declares of a config map.
type Object struct {
	Metadata struct {
		Namespace       string `json:"namespace"`
		Name            string `json:"name"`
		UID             string `json:"uid"`
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Data struct {
		Value string `json:"value"` // unique to each write
		Group string `json:"group"` // indexed
	} `json:"data"`
}

// Key names an object.
type Key = informer.Key

// State is one state of one object, as somebody saw it. No two writes have the same Value.
type State struct {
	Key     Key
	UID     string
	Version string
	Value   string
	Group   string
}

func (s State) String() string { return fmt.Sprintf("%s@%s (%s)", s.Key, s.Version, s.Value) }

// stateOf is the state that a server's object is.
func stateOf(o fakeapi.Object) State {
	s := State{Key: Key{Namespace: o.Namespace, Name: o.Name}, UID: o.UID, Version: strconv.FormatUint(o.ResourceVersion, 10)}
	s.Value, s.Group = field(o.JSON, `"value":"`), field(o.JSON, `"group":"`)
	return s
}

// field is the string after a name. What worlds write needs no parser.
func field(object []byte, name string) string {
	_, rest, _ := bytes.Cut(object, []byte(name))
	value, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(value)
}

// seenAs is the state that a client's object is.
func seenAs(key Key, uid, version string, o *Object) State {
	s := State{Key: key, UID: uid, Version: version}
	if o != nil {
		s.Value, s.Group = o.Data.Value, o.Data.Group
	}
	return s
}

// Put creates or changes an object; the value is one that no other write has.
func (w *World) Put(key Key, group string) State {
	w.writes++
	body := fmt.Sprintf(`{"metadata":{"namespace":%q,"name":%q},"data":{"value":"w%d","group":%q}}`, key.Namespace, key.Name, w.writes, group)
	o, err := w.Server.Apply(Resource, body)
	if err != nil {
		w.t.Errorf("sim: put %s: %v", key, err)
	}
	return stateOf(o)
}

// Delete removes an object, and reports whether it was there.
func (w *World) Delete(key Key) bool {
	_, err := w.Server.Delete(Resource, key.Namespace, key.Name)
	return err == nil
}
