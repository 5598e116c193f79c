package rest

// Field is one header field. Printing it shows no value that carries credentials.
type Field struct {
	Name  string
	Value string
}

// Header is the field lines of a head in their order. Names keep the case they were sent in and are compared without it (RFC 9110 5.1).
type Header []Field

// Get returns the first value of name, or "".
//
//go:noinline // it is called from everywhere
func (h Header) Get(name string) string {
	for i := range h {
		if equalFold(h[i].Name, name) {
			return h[i].Value
		}
	}
	return ""
}

// Has reports whether name is there, with any value.
//
//go:noinline // it is called from everywhere
func (h Header) Has(name string) bool {
	for i := range h {
		if equalFold(h[i].Name, name) {
			return true
		}
	}
	return false
}

// Values returns the values of name, one per field line, in order; nil if there is none.
func (h Header) Values(name string) []string {
	var values []string
	for i := range h {
		if equalFold(h[i].Name, name) {
			values = append(values, h[i].Value)
		}
	}
	return values
}

// Add appends a field line.
//
//go:noinline
func (h *Header) Add(name, value string) { *h = append(*h, Field{Name: name, Value: value}) }
