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
	slice := reflect.NewAt(n.typ, p).Elem()
	h := (*sliceHeader)(p)
	h.len = 0
	if a.peek() == ']' {
		slice.Set(reflect.MakeSlice(n.typ, 0, 0))
		return a.close(']')
	}
	if h.cap == 0 {
		slice.Grow(max(1, int(n.count.Load())))
	}
	size := n.elem.typ.Size()
	for {
		if h.len == h.cap {
			slice.Grow(1)
		}
		h.len++
		if !a.value(n.elem, unsafe.Add(h.data, uintptr(h.len-1)*size)) {
			return false
		}
		if a.peek() == ',' {
			a.i++
			continue
		}
		n.counted(h.len)
		if spare := uintptr(h.cap-h.len) * size; spare > 64 && spare > uintptr(h.len)*size/4 {
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
	m := mapOf(n, p)
	if a.peek() == '}' {
		return a.close('}')
	}
	for {
		text, ok := a.key()
		if !ok {
			return false
		}
		key := a.words.string(text)
		if m.texts != nil {
			m.value = unsafe.Pointer(&a.cell)
			a.cell = ""
		} else {
			m.elem.SetZero()
		}
		if !a.value(n.elem, m.value) {
			return false
		}
		if m.texts != nil {
			m.texts[key] = a.cell
		} else {
			m.key.SetString(key)
			m.all.SetMapIndex(m.key, m.elem)
		}
		if a.peek() != ',' {
			return a.close('}')
		}
		a.i++
	}
}

// mapping is a map that is being filled. Maps of strings to strings, which are most of them, do without reflection.
type mapping struct {
	texts          map[string]string
	all, key, elem reflect.Value
	value          unsafe.Pointer // of elem
}

// mapOf makes the map at p if there is none.
func mapOf(n *plan, p unsafe.Pointer) (m mapping) {
	if n.typ.Key() == typeString && n.elem.typ == typeString {
		if m.texts = *(*map[string]string)(p); m.texts == nil {
			m.texts = make(map[string]string)
			*(*map[string]string)(p) = m.texts
		}
		return m
	}
	if m.all = reflect.NewAt(n.typ, p).Elem(); m.all.IsNil() {
		m.all.Set(reflect.MakeMap(n.typ))
	}
	elem := reflect.New(n.elem.typ)
	m.key, m.elem, m.value = reflect.New(n.typ.Key()).Elem(), elem.Elem(), elem.UnsafePointer()
	return m
}
