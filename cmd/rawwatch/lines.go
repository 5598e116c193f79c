package main

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// lines is the format for people: one aligned line per event, or per object of a list.
type lines struct {
	table    table
	headed   bool // the titles have been printed, or are not wanted
	tagged   bool // several resources: each line says whose it is
	previous time.Time
}

type linesOptions struct {
	resources []string // what is shown, as it will be printed
	list      bool     // objects of a list: without what only events have
	wide      bool
	noHeaders bool
	palette   palette
}

func newLines(o linesOptions) *lines {
	l := &lines{headed: o.noHeaders, tagged: len(o.resources) > 1, table: table{palette: o.palette}}
	if !o.list {
		l.add(column{title: "TIME", width: 12, cell: func(e *event) string { return clock(e.time) }, paint: always(faint)})
		l.add(column{title: "DELTA", width: 8, right: true, cell: l.delta, paint: always(faint)})
		l.add(column{title: "TYPE", width: 8, cell: func(e *event) string { return escapeMax(e.kind, 32) }, paint: func(e *event) ansi { return colorOf(e.kind) }})
	}
	if l.tagged {
		width := 0
		for _, r := range o.resources {
			width = max(width, utf8.RuneCountInString(escape(r)))
		}
		l.add(column{title: "RESOURCE", width: width, cell: func(e *event) string { return escape(e.resource) }})
	}
	l.add(column{title: "NAMESPACE/NAME", width: 32, cell: name})
	l.add(column{title: "VERSION", width: 7, right: true, cell: func(e *event) string { return dash(escapeMax(e.version, 64)) }})
	l.add(column{title: "BYTES", width: 6, right: true, cell: func(e *event) string { return number(e.size()) }})
	l.add(column{title: "CHUNKS", width: 6, right: true, cell: func(e *event) string { return number(e.chunks.count()) }})
	if o.wide {
		l.add(column{title: "CONN", width: 4, right: true, cell: func(e *event) string { return number(int(e.conn)) }})
		l.add(column{title: "OFFSET", width: 8, right: true, cell: offset})
		l.add(column{title: "UID", width: 36, cell: func(e *event) string { return dash(escapeMax(e.uid, 64)) }})
	}
	if !o.list {
		l.add(column{title: "NOTE", cell: (*event).note, paint: always(faint)})
	}
	return l
}

func (l *lines) add(c column) { l.table.columns = append(l.table.columns, c) }

// append adds the event's line, after the titles if it is the first.
func (l *lines) append(b []byte, e *event) ([]byte, error) {
	if !l.headed {
		l.headed = true
		b = l.table.header(b)
	}
	b = l.table.append(b, e)
	l.previous = e.time
	return b, nil
}

// delta is the time since the line before.
func (l *lines) delta(e *event) string {
	if l.previous.IsZero() {
		return "-"
	}
	d := e.time.Sub(l.previous)
	if d < 0 { // of two resources, read by two goroutines
		return gap(d)
	}
	return "+" + gap(d)
}

func always(c ansi) func(*event) ansi { return func(*event) ansi { return c } }

// name is namespace/name, or the name alone where there is no namespace.
func name(e *event) string {
	text := e.key.Name
	if e.key.Namespace != "" {
		text = e.key.Namespace + "/" + e.key.Name
	}
	return dash(escapeMax(text, 512))
}

// offset is the event's place in the body it came in.
func offset(e *event) string {
	if e.conn == 0 {
		return "-"
	}
	return strconv.FormatInt(e.offset, 10)
}

// number leaves out what is not known.
func number(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
