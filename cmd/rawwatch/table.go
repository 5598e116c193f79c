package main

import (
	"strings"
	"unicode/utf8"
)

// column is one column of a table whose rows are printed as they come. Its width only grows, so that lines stay aligned without being held back.
type column struct {
	title string
	width int
	right bool // aligned on its right side
	cell  func(*event) string
	paint func(*event) ansi // nil: none
}

// table is aligned rows.
type table struct {
	columns []column
	palette palette
}

// header appends the line of titles.
func (t *table) header(b []byte) []byte {
	for i := range t.columns {
		t.columns[i].width = max(t.columns[i].width, len(t.columns[i].title))
	}
	return t.row(b, func(c *column) (string, ansi) { return c.title, "" })
}

// append appends an event's line.
func (t *table) append(b []byte, e *event) []byte {
	return t.row(b, func(c *column) (string, ansi) {
		if c.paint == nil {
			return c.cell(e), ""
		}
		return c.cell(e), c.paint(e)
	})
}

// row pads cells, then paints them: colours have no width. Nothing but a line feed follows the last one.
func (t *table) row(b []byte, cell func(*column) (string, ansi)) []byte {
	pending := 0
	for i := range t.columns {
		c := &t.columns[i]
		text, color := cell(c)
		n := utf8.RuneCountInString(text)
		c.width = max(c.width, n)
		before, after := 0, c.width-n
		if c.right {
			before, after = after, before
		}
		if i > 0 {
			pending += 2
		}
		if text == "" {
			pending += c.width
			continue
		}
		b = append(b, strings.Repeat(" ", pending+before)...)
		b = append(b, t.palette.paint(color, text)...)
		pending = after
	}
	return append(b, '\n')
}
