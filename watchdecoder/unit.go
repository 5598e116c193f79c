package watchdecoder

import (
	"io"
	"math"

	"k8s.io/apimachinery/pkg/types"
)

// unit reads watch events or list items, one after another: it holds one of them whole, or skips it to its end if it is given up.
type unit struct {
	src     source
	scan    scanner
	scratch []byte // identities with escapes, unescaped
	known   outlines
	looked  bool // whether this unit was compared with them

	maxBytes, maxDepth int
	apiVersion, kind   []byte // expected

	size  int      // of the unit that is held
	start int64    // its offset
	held  bool     // all of it
	lost  struct { // what was known when it was given up
		key types.NamespacedName
		typ EventType
	}
}

// open makes a zero unit one that reads from r.
func (u *unit) open(r io.Reader, o *Options) {
	u.maxBytes, u.maxDepth = o.MaxBytes, o.MaxDepth
	u.expect(o.APIVersion, o.Kind)
	switch {
	case u.maxBytes == 0:
		u.maxBytes = DefaultMaxBytes
	case u.maxBytes < 0:
		u.maxBytes = math.MaxInt
	}
	if u.maxDepth == 0 {
		u.maxDepth = DefaultMaxDepth
	}
	if u.maxDepth < 0 || u.maxDepth > HighestDepth {
		u.maxDepth = HighestDepth
	}
	u.src.r, u.src.most = r, max(u.maxBytes, 2*longestListText)
}

func (u *unit) expect(apiVersion, kind string) {
	u.apiVersion, u.kind = []byte(apiVersion), []byte(kind)
}

// next skips white space and returns the byte behind it, which stays where it is. Its error is the reader's.
func (u *unit) next() (byte, error) {
	if u.size > 0 {
		u.src.bytes()[0] = '#' // whoever kept the last unit beyond this call shall see it
	}
	u.src.discard(u.size)
	u.size = 0
	for {
		b := u.src.bytes()
		i := skipSpace(b, 0)
		u.src.discard(i)
		if i < len(b) {
			return b[i], nil
		}
		if err := u.src.fill(); err != nil {
			return 0, err
		}
	}
}

// read reads the unit that begins with the first byte that is held. An error ends the stream; what costs this unit alone is in
// scan.fault. The result is how the scan ended: scanEnd or scanItems.
func (u *unit) read(l level, above int) (scanStop, error) {
	u.scan.begin(l, u.maxDepth+above)
	u.start, u.held = u.src.offset, true
	if ok, err := u.recall(); err != nil {
		return scanBroken, err
	} else if ok {
		u.size = u.scan.pos
		return scanEnd, nil
	}
	for {
		b := u.src.bytes()
		if u.held && len(b) > u.maxBytes {
			b = b[:u.maxBytes]
		}
		switch stop := u.scan.scan(b); stop {
		case scanBroken:
			return stop, u.broken()
		case scanEnd, scanItems:
			if u.held && u.hopeless() {
				u.giveUp()
			}
			if u.held && u.scan.fault.rule == "" {
				u.remember()
			}
			u.size = u.scan.pos
			return stop, nil
		}
		if u.held && (len(b) == u.maxBytes || u.hopeless()) {
			u.giveUp()
			continue
		}
		if !u.held {
			u.src.discard(u.scan.pos)
			u.scan.rebase(u.scan.pos)
		}
		if err := u.src.fill(); err != nil {
			return scanBroken, u.cut(err)
		}
	}
}

// hopeless says that there is no use in holding the unit: it is too deep, or no object. Whether it ends in this very read must
// not matter.
func (u *unit) hopeless() bool { return u.scan.state == scanAdrift || u.scan.root != '{' }

// giveUp stops to hold the unit.
func (u *unit) giveUp() {
	u.held = false
	id := u.identity()
	u.lost.key, u.lost.typ = id.Key(), u.eventType()
	if !u.hopeless() {
		u.scan.bad(RuleTooLarge, u.scan.pos, "")
		u.scan.abandon()
	}
}

// broken is the error for what ended the stream.
//
//go:noinline // as scanner.bad
func (u *unit) broken() error {
	p := u.scan.end
	return &FrameError{Offset: u.src.offset + int64(p.at), Start: u.start, Rule: p.rule, Detail: p.detail, lost: true}
}

// fatal is the error for what the scanner accepts and nobody can use.
//
//go:noinline // as scanner.bad
func (u *unit) fatal(rule string, at int, detail string) error {
	u.scan.end = problem{rule: rule, detail: detail, at: at}
	return u.broken()
}

// strange is the error for the first byte of what is no unit.
func (u *unit) strange(c byte) error {
	switch c {
	case 0:
		return u.fatal(RuleNUL, 0, "")
	case '<':
		return u.fatal(RuleHTML, 0, "")
	case 0xef, 0xfe, 0xff: // of UTF-8 and of UTF-16
		return u.fatal(RuleByteOrderMark, 0, "")
	}
	return u.fatal(RuleSyntax, 0, excerpt([]byte{c})+" where an object was due")
}

// cut is the error for a reader that ended inside the unit.
func (u *unit) cut(err error) error {
	if err != io.EOF {
		return err
	}
	end := u.src.offset + int64(len(u.src.bytes()))
	return &FrameError{Offset: end, Start: u.start, Rule: RuleCut, Err: io.ErrUnexpectedEOF, lost: true}
}

// faultError is the error for what costs this unit alone. A Table is the exception: nothing that follows will be an object.
//
//go:noinline // as scanner.bad
func (u *unit) faultError(key types.NamespacedName) *FrameError {
	p := u.scan.fault
	return &FrameError{
		Offset: u.start + int64(p.at), Start: u.start, Rule: p.rule, Detail: p.detail, Key: key, Err: p.cause, lost: p.rule == RuleTable,
	}
}
