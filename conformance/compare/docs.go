package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// section is a part of the document that is made of figures, between the comments <!-- compare:NAME --> and <!-- /compare -->.
type section struct {
	name     string
	measured func(*report) bool
	write    func(*report, io.Writer)
}

var sections = []section{
	{"rows", func(r *report) bool { return len(r.Rows) > 0 }, (*report).writeRows},
	{"bars", func(r *report) bool { return len(r.Ratios) > 0 }, (*report).writeBars},
	{"memory", func(r *report) bool { return len(r.Memory) > 0 }, (*report).writeMemory},
	{"reads", func(r *report) bool { return len(r.Reads) > 0 }, (*report).writeReads},
	{"fifty", func(r *report) bool { return len(r.Fifty) > 0 }, (*report).writeFifty},
	{"programs", func(r *report) bool { return len(r.Programs) > 0 }, (*report).writePrograms},
	{"curve", func(r *report) bool { return len(r.Curve) > 0 }, (*report).writeCurve},
}

const sectionEnd = "<!-- /compare -->"

func (s section) begin() string { return "<!-- compare:" + s.name + " -->" }

// place says where a section's text is in a document.
func (s section) place(document []byte) (from, to int, err error) {
	if bytes.Count(document, []byte(s.begin())) != 1 {
		return 0, 0, fmt.Errorf("%s must be there once", s.begin())
	}
	from = bytes.Index(document, []byte(s.begin())) + len(s.begin())
	length := bytes.Index(document[from:], []byte(sectionEnd))
	if length < 0 || bytes.Contains(document[from:from+length], []byte("<!-- compare:")) {
		return 0, 0, fmt.Errorf("%s is not ended by %s", s.begin(), sectionEnd)
	}
	return from, from + length, nil
}

// checkDocument says early whether a document can be rewritten: before an hour of measuring.
func checkDocument(name string) error {
	document, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var all error
	for _, s := range sections {
		if _, _, err := s.place(document); err != nil {
			all = errors.Join(all, fmt.Errorf("%s: %w", name, err))
		}
	}
	return all
}

// rewrite puts what was measured into a document, and leaves everything else in it as it is.
func (r *report) rewrite(document []byte) ([]byte, error) {
	for _, s := range sections {
		if !s.measured(r) {
			continue
		}
		from, to, err := s.place(document)
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		s.write(r, &text)
		middle := "\n" + strings.TrimRight(text.String(), "\n") + "\n"
		document = append(append(append([]byte{}, document[:from]...), middle...), document[to:]...)
	}
	return document, nil
}

func (r *report) rewriteFile(name string) error {
	before, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	after, err := r.rewrite(before)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(name, after, 0o644)
}

// conditions is the line above a section: on what it was measured, and how.
func (r *report) conditions(size bool, results []result) string {
	parts := []string{r.Machine}
	if size {
		parts = append(parts, r.size())
	}
	if rounds := rounds(results); rounds != "" {
		parts = append(parts, rounds)
	}
	if r.Runs > 1 {
		parts = append(parts, fmt.Sprintf("one of %d runs, one after the other", r.Runs))
	}
	return strings.Join(append(parts, "load average "+r.Load+" (the measured processes included)"), "; ") + ".\n\n"
}

// rounds says how often the rows of a table were measured.
func rounds(results []result) string {
	if len(results) == 0 {
		return ""
	}
	least, most := len(results[0].rounds), 0
	for _, r := range results {
		least, most = min(least, len(r.rounds)), max(most, len(r.rounds))
	}
	switch {
	case most == 1:
		return "one round"
	case least == most:
		return fmt.Sprintf("medians of %d rounds", most)
	}
	return fmt.Sprintf("medians of %d to %d rounds", least, most)
}

// thousands is a number as people read it.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
