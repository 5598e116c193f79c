package watchdecoder

import (
	"reflect"
	"unsafe"
)

// sliceHeader is a slice as the runtime has it.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// list reads an array into the slice at p. As in encoding/json, what the slice holds already is written over element by element.
func (a *assigner) list(n *plan, p unsafe.Pointer) bool {
	if !a.open() {
		return false
	}
	h := (*sliceHeader)(p)
	h.len = 0
	if a.peek() == ']' {
		*h = sliceHeader{data: unsafe.Pointer(new(struct{}))}
		return a.close(']')
	}
	if h.cap == 0 {
		n.slice.UnsafeGrow(p, max(1, int(n.count.Load())))
		h.len = 0
	}
	size := n.elem.typ.Size()
	for {
		if h.len < h.cap {
			h.len++
		} else {
			n.slice.UnsafeGrow(p, h.len+1)
		}
		if !a.value(n.elem, unsafe.Add(h.data, uintptr(h.len-1)*size)) {
			return false
		}
		if a.peek() == ',' {
			a.i++
			continue
		}
		n.counted(h.len)
		if spare := uintptr(h.cap-h.len) * size; spare > 64 && spare > uintptr(h.len)*size/4 {
			slice := reflect.NewAt(n.typ, p).Elem()
			exact := reflect.MakeSlice(n.typ, h.len, h.len)
			reflect.Copy(exact, slice)
			slice.Set(exact)
		}
		return a.close(']')
	}
}

// mostExpected bounds the elements that memory is taken for before they have been seen.
const mostExpected = 16

func (n *plan) counted(elements int) {
	if elements = min(elements, mostExpected); int(n.count.Load()) != elements {
		n.count.Store(int32(elements))
	}
}

var typeString = reflect.TypeFor[string]()

// all reads an object into the map at p, whose keys are strings.
func (a *assigner) all(n *plan, p unsafe.Pointer) bool {
	if !a.open() {
		return false
	}
	if n.typ.Key() == typeString && n.elem.typ == typeString {
		return a.allTexts(n.elem, (*map[string]string)(p))
	}
	m := reflect.NewAt(n.typ, p).Elem()
	if m.IsNil() {
		m.Set(reflect.MakeMap(n.typ))
	}
	key, elem := a.mapKey, a.mapElem
	if a.mapPlan != n { // the last one was another, or this is a map inside one
		key, elem = reflect.New(n.typ.Key()).Elem(), reflect.New(n.elem.typ).Elem()
	}
	a.mapPlan = nil
	for more := a.peek() != '}'; more; {
		text, ok := a.key()
		if !ok {
			return false
		}
		key.SetString(a.words.string(text))
		if !a.value(n.elem, elem.Addr().UnsafePointer()) {
			return false
		}
		m.SetMapIndex(key, elem)
		elem.SetZero()
		if more = a.peek() == ','; more {
			a.i++
		}
	}
	a.mapPlan, a.mapKey, a.mapElem = n, key, elem
	return a.close('}')
}

// allTexts reads what is behind the brace into a map of strings, which most maps are, without reflection.
func (a *assigner) allTexts(n *plan, to *map[string]string) bool {
	if *to == nil {
		*to = make(map[string]string)
	}
	for more := a.peek() != '}'; more; {
		text, ok := a.key()
		if !ok {
			return false
		}
		key := a.words.string(text)
		a.member = ""
		if !a.value(n, unsafe.Pointer(&a.member)) {
			return false
		}
		(*to)[key] = a.member
		if more = a.peek() == ','; more {
			a.i++
		}
	}
	return a.close('}')
}
