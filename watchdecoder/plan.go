package watchdecoder

import (
	"encoding"
	"encoding/json"
	"reflect"
	"sync/atomic"
	"time"
	"unsafe"

	jsoniter "github.com/json-iterator/go"
	"github.com/modern-go/reflect2"
)

// plan is what a Go type declares of an object: which members, and of what shape. It is built once for each type of a codec.
type plan struct {
	kind   planKind
	typ    reflect.Type
	memory reflect2.Type      // typ again: reflect looks for a pointer's type each time that it makes a value
	slice  reflect2.SliceType // typ again, if it is a slice
	direct bool               // an assigner sets such a value by itself
	time   bool               // metav1.Time
	moment bool               // time.Time
	owned  bool               // metav1.FieldsV1, which says who owns which field
	bits   int                // of numbers
	name   string             // of the type, for errors
	elem   *plan              // of pointers, slices, arrays and maps
	fields []planField
	byName map[string]int // into fields; nil where they are few
	sizes  uint64         // a bit for each length of a name below 64, the highest for all others

	// What the last object suggests of the next one. Any value will do.
	first atomic.Int32 // field that an object begins with
	count atomic.Int32 // elements of a list
}

type planKind uint8

const (
	planNever   planKind = iota // nothing but null can be decoded into it
	planStruct                  // an object, of which the declared members are decoded
	planMap                     // an object, all of it
	planList                    // an array
	planPointer                 // elem or null
	planText                    // a string
	planBytes                   // a string in base64, or an array of numbers
	planBool
	planInt
	planUint

	// What follows is decoded by this package and not by json-iterator.
	planFloat
	planNumber      // a number, kept as text
	planAny         // anything
	planRaw         // anything, as it stands
	planUnmarshaler // json.Unmarshaler
	planTexter      // encoding.TextUnmarshaler: a string
)

// planField is a declared member.
type planField struct {
	name   string
	member []byte // "name": as json-iterator is given it
	plan   *plan
	quoted bool // has the option string: its value stands inside a string
	allocs bool // even null allocates the embedded struct that it is in
	offset uintptr
	next   atomic.Int32 // field that came behind it last time
}

// fewFields are found faster by looking at each.
const fewFields = 8

var (
	typeUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	typeTexter      = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// planner builds the plans of a type and of all those inside it, which may contain each other.
type planner map[reflect.Type]*plan

func (p planner) of(t reflect.Type) *plan {
	if known, ok := p[t]; ok {
		return known
	}
	n := &plan{kind: kindOf(t), typ: t, memory: reflect2.Type2(t), name: t.String()}
	p[t] = n
	switch n.kind {
	case planPointer, planMap, planList:
		n.elem = p.of(t.Elem())
	case planStruct:
		n.fields = p.fieldsOf(t)
		n.index()
	case planInt, planUint, planFloat:
		n.bits = t.Bits()
	}
	n.slice, _ = n.memory.(reflect2.SliceType)
	n.direct = n.canAssign()
	n.moment = t == reflect.TypeFor[time.Time]()
	if t.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" {
		n.time = t.Name() == "Time" && t.Size() == unsafe.Sizeof(time.Time{})
		n.owned = t.Name() == "FieldsV1" && t.Kind() == reflect.Struct && t.NumField() == 1 && t.Field(0).Type == reflect.TypeFor[[]byte]()
	}
	return n
}

// canAssign leaves to json-iterator what is rare and intricate.
func (n *plan) canAssign() bool {
	switch n.kind {
	case planNever, planBytes:
		return false
	case planStruct:
		for i := range n.fields {
			if n.fields[i].quoted || n.fields[i].allocs {
				return false
			}
		}
	case planMap:
		key := n.typ.Key()
		return key.Kind() == reflect.String && !reflect.PointerTo(key).Implements(typeTexter)
	case planList:
		return n.typ.Kind() == reflect.Slice
	}
	return true
}

// kindOf follows the order in which encoding/json looks at a type.
func kindOf(t reflect.Type) planKind {
	switch {
	case t == reflect.TypeFor[json.RawMessage](), t == reflect.TypeFor[jsoniter.RawMessage]():
		return planRaw
	case t == reflect.TypeFor[json.Number](), t == reflect.TypeFor[jsoniter.Number]():
		return planNumber
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		return planAny
	case reflect.PointerTo(t).Implements(typeUnmarshaler):
		return planUnmarshaler
	case reflect.PointerTo(t).Implements(typeTexter):
		return planTexter
	}
	switch t.Kind() {
	case reflect.Struct:
		return planStruct
	case reflect.Map:
		return planMap
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return planBytes
		}
		return planList
	case reflect.Array:
		return planList
	case reflect.Pointer:
		return planPointer
	case reflect.String:
		return planText
	case reflect.Bool:
		return planBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return planInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return planUint
	case reflect.Float32, reflect.Float64:
		return planFloat
	}
	return planNever
}

// ours says that this package decodes values of the kind.
func (k planKind) ours() bool { return k >= planFloat }

func (n *plan) index() {
	for i := range n.fields {
		n.sizes |= 1 << min(len(n.fields[i].name), 63)
	}
	if len(n.fields) <= fewFields {
		return
	}
	n.byName = make(map[string]int, len(n.fields))
	for i := range n.fields {
		n.byName[n.fields[i].name] = i
	}
}

// field finds the declared member of that very name. next is where it is if members come in the order of the fields, as those
// of built-in types do.
func (n *plan) field(name []byte, next int) int {
	if n.sizes>>min(len(name), 63)&1 == 0 {
		return -1
	}
	if next < len(n.fields) && n.fields[next].name == string(name) {
		return next
	}
	if n.byName != nil {
		if i, ok := n.byName[string(name)]; ok {
			return i
		}
		return -1
	}
	for i := range n.fields {
		if n.fields[i].name == string(name) {
			return i
		}
	}
	return -1
}
