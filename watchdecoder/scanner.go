package watchdecoder

import (
	"fmt"
	"math"
)

// scanner reads one unit - a watch event, a list item, or what surrounds a list's items - and notes where its fields are.
// It can stop behind any byte and go on when more are there, with the same result. All positions count from the unit's first
// byte, or from the last rebase.
type scanner struct {
	state  scanState
	strict bool // faults end the stream, instead of costing this unit only
	root   byte // the unit's first
	pos    int  // next byte to look at
	nest   nesting
	levels [3]level // entered, the innermost is levels[depth-1]
	depth  int

	field   field  // whose value is being read
	mark    int    // where the key or the value of a field that is being read starts
	escapes bool   // it has some
	literal string // what is left to come of null, true or false

	seen  uint32 // fields met, a bit for each
	found uint32 // fields whose spans are set
	spans [fieldCount]span

	fault problem // first one that costs this unit
	end   problem // the one that ends the stream
}

// span is the place of a value, without the quotes if it is a string.
type span struct {
	from, to int
}

// problem is a rule that was broken at a position.
type problem struct {
	rule, detail string
	at           int
	cause        error
}

type scanState uint8

const (
	scanValue    scanState = iota // a value is due
	scanKeyOrEnd                  // behind an opening brace
	scanKey                       // behind a comma
	scanInKey
	scanColon
	scanText
	scanLiteral
	scanNumber
	scanNested // inside a value that is passed over
	scanAfter  // behind a member
	scanAdrift // on the way to the end of a unit that was given up
)

// Why a scan stopped.
type scanStop uint8

const (
	scanOn     scanStop = iota // it did not
	scanMore                   // all bytes were used
	scanEnd                    // behind the unit's last byte
	scanItems                  // behind the bracket that opens a list's items
	scanBroken                 // scanner.end says why
)

// begin prepares for a unit that starts with its value, of the given level if it is an object.
func (s *scanner) begin(l level, maxDepth int) {
	s.nest.reset(maxDepth)
	s.levels[0] = l
	s.state, s.pos, s.depth, s.field = scanValue, 0, 0, fieldNone
	s.seen, s.found = 0, 0
	s.fault, s.end = problem{}, problem{}
}

// rebase forgets the first n bytes, none of which it still needs.
func (s *scanner) rebase(n int) {
	s.pos -= n
	s.mark -= n
}

// needed is the position of the first byte that it has to see again.
func (s *scanner) needed() int {
	switch s.state {
	case scanInKey:
		return s.mark
	case scanText, scanNumber:
		if s.field != fieldNone {
			return s.mark
		}
	}
	return s.pos
}

// scan goes on with b, which starts at the unit's first byte.
func (s *scanner) scan(b []byte) scanStop {
	for s.pos < len(b) {
		var stop scanStop
		switch s.state {
		case scanInKey:
			stop = s.inKey(b)
		case scanText:
			stop = s.inText(b)
		case scanNested, scanAdrift:
			stop = s.inNested(b)
		case scanLiteral:
			stop = s.inLiteral(b)
		case scanNumber:
			stop = s.inNumber(b)
		default:
			stop = s.between(b)
		}
		if stop != scanOn {
			return stop
		}
	}
	return scanMore
}

// between is where white space may stand.
func (s *scanner) between(b []byte) scanStop {
	if s.pos = skipSpace(b, s.pos); s.pos == len(b) {
		return scanMore
	}
	c := b[s.pos]
	switch s.state {
	case scanValue:
		return s.value(c)
	case scanColon:
		if c != ':' {
			return s.broken("colon", c)
		}
		s.state = scanValue
	case scanAfter:
		switch c {
		case ',':
			s.state = scanKey
		case '}':
			s.pos++
			return s.leave()
		default:
			return s.broken("comma or brace", c)
		}
	default:
		switch {
		case c == '"':
			s.mark, s.escapes, s.state = s.pos+1, false, scanInKey
		case c == '}' && s.state == scanKeyOrEnd:
			s.pos++
			return s.leave()
		default:
			return s.broken("key", c)
		}
	}
	s.pos++
	return scanOn
}

// value begins a value with its first byte c.
func (s *scanner) value(c byte) scanStop {
	want := shapes[s.field]
	s.mark = s.pos
	if s.depth == 0 {
		s.root = c
	}
	stop := scanOn
	switch {
	case c == '"':
		stop = s.check(want == shapeText || want <= shapeSpan)
		s.mark, s.escapes, s.state = s.pos+1, false, scanText
	case c == '{' && want == shapeObject, c == '{' && s.depth == 0:
		return s.enter()
	case c == '{' || c == '[':
		if c == '[' && want == shapeItems && s.seen&(1<<fieldType|1<<fieldObject) == 0 {
			s.pos++
			return scanItems
		}
		stop = s.check(want <= shapeSpan)
		s.state = scanNested
		return stop // the bracket is for nest
	case c == '-' || '0' <= c && c <= '9':
		stop = s.check(want == shapeNumber || want <= shapeSpan)
		s.state = scanNumber
	case c == 't' || c == 'f' || c == 'n':
		stop = s.check(want <= shapeSpan || c == 'n' && s.field != fieldObject && s.depth > 0)
		s.state, s.literal = scanLiteral, literalAfter(c)
	default:
		return s.broken("value", c)
	}
	s.pos++
	return stop
}

// check notes that the value which begins here is not what its field has to be. A unit is an object.
func (s *scanner) check(fits bool) scanStop {
	if fits && s.depth > 0 {
		return scanOn
	}
	f := s.field
	s.field = fieldNone
	if f.foreign() {
		return scanOn
	}
	rule := RuleNotObject
	switch shapes[f] {
	case shapeText:
		rule = RuleNotString
	case shapeNumber:
		rule = RuleNotNumber
	case shapeItems:
		rule = RuleNotArray
	}
	return s.bad(rule, s.pos, f.String())
}

// enter begins an object whose members are read.
func (s *scanner) enter() scanStop {
	if s.nest.depth >= s.nest.max {
		s.state = scanNested
		return scanOn // nest will find it
	}
	if s.field != fieldNone {
		s.spans[s.field].from = s.pos
		s.levels[s.depth] = levelOf(s.field)
	}
	s.nest.open(1)
	s.depth++
	s.pos++
	s.state = scanKeyOrEnd
	return scanOn
}

// leave ends it, behind its brace.
func (s *scanner) leave() scanStop {
	s.nest.close()
	s.depth--
	if s.levels[s.depth] == levelObject {
		s.note(fieldObject, s.spans[fieldObject].from)
	}
	return s.valueDone()
}

func (s *scanner) note(f field, from int) {
	s.spans[f] = span{from, s.pos}
	s.found |= 1 << f
}

func (s *scanner) valueDone() scanStop {
	if s.depth == 0 {
		return scanEnd
	}
	s.state = scanAfter
	return scanOn
}

// inKey reads the rest of a key and finds its field.
func (s *scanner) inKey(b []byte) scanStop {
	if end := s.textEnd(b); s.tooLong() {
		return s.bad(RuleListText, s.mark-1, "")
	} else if !end {
		return scanMore
	}
	key := b[s.mark:s.pos]
	s.pos++
	s.state = scanColon
	s.field = fieldNone
	if s.escapes && len(key) <= longestKey {
		var text [longestKey]byte
		key, _ = appendUnquoted(text[:0], key)
	}
	f := fieldOf(s.levels[s.depth-1], key)
	if s.seen&(1<<f) != 0 && f.foreign() {
		return scanOn
	}
	if s.seen&(1<<f) != 0 {
		return s.bad(RuleDuplicateKey, s.mark-1, f.String())
	}
	if f != fieldNone {
		s.seen |= 1 << f
		s.field = f
	}
	return scanOn
}

// inText reads the rest of a string.
func (s *scanner) inText(b []byte) scanStop {
	if end := s.textEnd(b); s.field != fieldNone && s.tooLong() {
		return s.bad(RuleListText, s.mark-1, s.field.String())
	} else if !end {
		return scanMore
	}
	if s.field != fieldNone && shapes[s.field] == shapeText {
		s.note(s.field, s.mark)
	}
	s.pos++
	return s.valueDone()
}

// textEnd moves on to the quote that ends a string. If there is none yet, a backslash at the very end is left for later.
func (s *scanner) textEnd(b []byte) bool {
	for {
		s.pos = textStop(b, s.pos)
		if s.pos == len(b) {
			return false
		}
		if b[s.pos] == '"' {
			return true
		}
		if s.pos+1 == len(b) {
			return false
		}
		s.escapes = true
		s.pos += 2
	}
}

// longestListText bounds the keys and the metadata of a list, which are held outside of any unit. Continue tokens have a few
// hundred bytes.
const longestListText = 64 << 10

func (s *scanner) tooLong() bool { return s.strict && s.pos-s.mark > longestListText }

// inNested passes over a value.
func (s *scanner) inNested(b []byte) scanStop {
	floor := s.depth
	if s.state == scanAdrift {
		floor = 0
	}
	n, result := s.nest.skip(b[s.pos:], floor)
	s.pos += n
	switch result {
	case skipMore:
		return scanMore
	case skipDeep:
		return s.tooDeep()
	case skipMismatch:
		return s.broken("bracket of the kind that is open", b[s.pos])
	case skipStray:
		return s.broken("JSON", b[s.pos])
	}
	if s.state == scanAdrift {
		return scanEnd
	}
	if s.field == fieldAnnotations {
		s.note(s.field, s.mark)
	}
	return s.valueDone()
}

// inLiteral reads the rest of null, true or false.
func (s *scanner) inLiteral(b []byte) scanStop {
	for s.literal != "" {
		if s.pos == len(b) {
			return scanMore
		}
		if b[s.pos] != s.literal[0] {
			return s.broken("null, true or false", b[s.pos])
		}
		s.literal = s.literal[1:]
		s.pos++
	}
	return s.valueDone()
}

func literalAfter(first byte) string {
	switch first {
	case 't':
		return "rue"
	case 'f':
		return "alse"
	default:
		return "ull"
	}
}

// inNumber reads the rest of a number, and of what looks like one.
func (s *scanner) inNumber(b []byte) scanStop {
	for s.pos < len(b) && inNumber(b[s.pos]) {
		s.pos++
	}
	wanted := s.field == fieldRemaining
	switch {
	case wanted && s.tooLong():
		return s.bad(RuleListText, s.mark, s.field.String())
	case s.pos == len(b):
		return scanMore
	case wanted:
		s.note(s.field, s.mark)
	}
	return s.valueDone()
}

func inNumber(c byte) bool {
	return '0' <= c && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'
}

// tooDeep gives the unit up: from here on brackets are counted only.
func (s *scanner) tooDeep() scanStop {
	stop := s.bad(RuleTooDeep, s.pos, "")
	s.nest.blind = true
	s.state = scanAdrift
	return stop
}

// abandon gives the unit up: its bytes need not be held any longer.
func (s *scanner) abandon() {
	if s.state == scanInKey || s.state == scanText {
		s.nest.inString = math.MaxUint64
	}
	s.state = scanAdrift
}

// bad notes what costs this unit, or ends the stream if the unit is all there is.
//
//go:noinline // it is called from everywhere, and rarely
func (s *scanner) bad(rule string, at int, detail string) scanStop {
	if s.strict {
		s.end = problem{rule: rule, detail: detail, at: at}
		return scanBroken
	}
	if s.fault.rule == "" {
		s.fault = problem{rule: rule, detail: detail, at: at}
	}
	return scanOn
}

// broken notes that the stream cannot go on, for c stands here where something else is due.
func (s *scanner) broken(due string, c byte) scanStop {
	s.end = problem{rule: RuleSyntax, detail: fmt.Sprintf("%s where a %s was due", excerpt([]byte{c}), due), at: s.pos}
	if c == 0 {
		s.end = problem{rule: RuleNUL, at: s.pos}
	}
	return scanBroken
}
