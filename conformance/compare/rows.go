package main

// row is one way of following the pods.
type row struct {
	name    string
	program string // its folder here
	form    string // what the program calls it
	only    string // the short name that -only takes
	slow    bool   // not above 100,000 objects, and without events in the curve
	json    bool   // of client-go: a tenth of the events in the curve, where it would take most of the time
	node    bool   // its reads can be measured
}

// rows in the order of the table. A new one is a line here and a case in its program.
var rows = []row{
	{name: "client-go typed protobuf", program: "clientgo", only: "typed-proto", node: true},
	{name: "client-go typed JSON", program: "clientgo", only: "typed-json", json: true},
	{name: "client-go dynamic", program: "clientgo", only: "dynamic", slow: true},
	{name: "client-go metadata", program: "clientgo", only: "client-go-metadata"},
	{name: "raw", program: "ours", only: "raw"},
	{name: "compact raw", program: "ours", form: "compact", only: "compact"},
	{name: "lazy", program: "ours", only: "lazy"},
	{name: "five-field struct", program: "ours", form: "five", only: "five", node: true},
	{name: "full corev1.Pod", program: "full", form: "full", only: "corev1", node: true},
	{name: "metadata only", program: "ours", form: "metadata", only: "metadata"},
}

func (r row) kind() string {
	if r.form != "" {
		return r.form
	}
	return r.name
}
