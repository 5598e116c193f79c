package watchdecoder

import (
	"io"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rawwatch/rawwatch/status"
)

// ListMeta is what a list says about itself.
type ListMeta struct {
	APIVersion, Kind   string
	ResourceVersion    string
	Continue           string // token of the next page, "" on the last one
	RemainingItemCount int64  // estimate of the items on later pages, -1 if the list does not say
}

// ListDecoder reads the items of one list one by one, wherever its metadata stands, and holds one item at a time. It is not
// safe for concurrent use.
type ListDecoder struct {
	unit  unit    // of items
	list  scanner // of what surrounds them
	state listState
	held  bool  // all of the list up to list.pos: it may yet be a Status
	begin int64 // offset of the list

	meta                  ListMeta
	noted                 uint32 // fields of list that are in meta
	itemVersion, itemKind []byte // that items inherit
	item                  Item
	count                 int
	err                   error // that ended the list
}

type listState uint8

const (
	listStart    listState = iota
	listAround             // before or behind the items
	listFirst              // behind the bracket that opens them
	listNext               // behind an item
	listTrailing           // behind the list
)

// NewListDecoder returns a decoder that reads one list from r, up to r's end.
func NewListDecoder(r io.Reader, o Options) *ListDecoder {
	d := &ListDecoder{meta: ListMeta{RemainingItemCount: -1}}
	d.unit.open(r, &o)
	return d
}

// Meta returns the list's metadata: complete once Next returned io.EOF, what is known so far before (lists of custom resources
// have it behind their items).
func (d *ListDecoder) Meta() ListMeta { return d.meta }

// Next returns the next item, valid until the next call. Where it says neither apiVersion nor kind, as in lists of built-in
// types, its identity takes them from the list if that came first, else from Options.
//
// The error is
//   - io.EOF once the list ended and nothing but white space followed, never otherwise;
//   - a *status.Error if the body is a Status in place of a list;
//   - a *[FrameError] that is Recoverable if only this item is bad, with the item beside it as for [Decoder.Next];
//   - a *[FrameError] that is not Recoverable if the body is not a list: malformed, cut (then errors.Is io.ErrUnexpectedEOF),
//     HTML, a Table;
//   - the reader's error otherwise.
//
// An error that ends the list is returned by all later calls as well.
func (d *ListDecoder) Next() (*Item, error) {
	for d.err == nil {
		switch d.state {
		case listStart:
			d.err = d.start()
		case listAround:
			d.err = d.around()
		case listTrailing:
			d.err = d.trailing()
		default:
			more, err := d.toItem()
			if err != nil {
				d.err = err
			} else if more {
				return d.readItem()
			}
		}
	}
	return nil, d.err
}

func (d *ListDecoder) start() error {
	c, err := d.unit.next()
	d.begin = d.unit.src.offset
	d.unit.start = d.begin
	if err != nil {
		return d.unit.cut(err) // an empty body is no list
	}
	if c != '{' {
		return d.unit.strange(c)
	}
	d.list.begin(levelList, d.unit.maxDepth+1)
	d.list.strict = true
	d.state, d.held = listAround, true
	return nil
}

// around reads what surrounds the items: up to their bracket, or to the list's end.
func (d *ListDecoder) around() error {
	d.unit.start = d.begin
	for {
		b := d.unit.src.bytes()
		if d.held && len(b) > longestListText {
			b = b[:longestListText]
		}
		stop := d.list.scan(b)
		if err := d.note(); err != nil {
			return err
		}
		switch stop {
		case scanBroken:
			return d.broken()
		case scanEnd:
			return d.end()
		case scanItems:
			d.release()
			d.state = listFirst
			return nil
		}
		if d.held && len(b) < longestListText {
			if err := d.unit.src.fill(); err != nil {
				return d.unit.cut(err)
			}
			continue
		}
		held := d.held
		d.release()
		if !held {
			if err := d.unit.src.fill(); err != nil {
				return d.unit.cut(err)
			}
		}
	}
}

// release forgets what the scanner needs no more.
func (d *ListDecoder) release() {
	n := d.list.needed()
	d.unit.src.discard(n)
	d.list.rebase(n)
	d.held = false
}

// note takes over what the scanner has found of the list's metadata, in the order in which it stands there.
func (d *ListDecoder) note() error {
	for {
		next := fieldNone
		for f := fieldListAPIVersion; f < fieldCount; f++ {
			if d.list.found&^d.noted&(1<<f) != 0 && (next == fieldNone || d.list.spans[f].from < d.list.spans[next].from) {
				next = f
			}
		}
		if next == fieldNone {
			return nil
		}
		d.noted |= 1 << next
		s := d.list.spans[next]
		text, ok := unescaped(d.unit.src.bytes()[s.from:s.to])
		if !ok {
			return d.fatal(RuleBadString, s.from, next.String())
		}
		if err := d.set(next, string(text), s.from); err != nil {
			return err
		}
	}
}

func (d *ListDecoder) set(f field, text string, at int) error {
	switch f {
	case fieldListAPIVersion:
		d.meta.APIVersion, d.itemVersion = text, []byte(text)
	case fieldListKind:
		d.meta.Kind = text
		if text == "Table" {
			return d.fatal(RuleTable, at, "")
		}
		if kind, ok := strings.CutSuffix(text, "List"); ok {
			d.itemKind = []byte(kind)
		}
	case fieldListVersion:
		d.meta.ResourceVersion = text
	case fieldContinue:
		d.meta.Continue = text
	case fieldRemaining:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return d.fatal(RuleNotNumber, at, f.String())
		}
		d.meta.RemainingItemCount = n
	}
	return nil
}

// end is behind the list's brace.
func (d *ListDecoder) end() error {
	if d.list.seen&(1<<fieldItems) != 0 {
		d.unit.src.discard(d.list.pos)
		d.state = listTrailing
		return nil
	}
	if d.meta.Kind == "Status" && d.held {
		if failure, err := status.Parse(d.unit.src.bytes()[:d.list.pos]); err == nil {
			return failure
		}
	}
	return d.fatal(RuleNotList, d.list.pos-1, "kind "+excerpt(d.meta.Kind))
}

func (d *ListDecoder) trailing() error {
	c, err := d.unit.next()
	if err != nil {
		return err
	}
	return d.fatal(RuleTrailing, 0, excerpt([]byte{c}))
}

// toItem goes on to the next item; it is false behind the bracket that ends them.
func (d *ListDecoder) toItem() (bool, error) {
	for {
		c, err := d.unit.next()
		d.unit.start = d.begin
		switch {
		case err != nil:
			return false, d.unit.cut(err)
		case c == ']' && (d.state == listNext || d.count == 0):
			d.unit.src.discard(1)
			d.state = listAround
			d.list.state, d.list.pos = scanAfter, 0
			return false, nil
		case d.state == listNext && c == ',':
			d.unit.src.discard(1)
			d.state = listFirst
		case d.state == listNext:
			d.list.pos = 0
			d.list.broken("comma or bracket", c)
			return false, d.broken()
		default:
			return true, nil
		}
	}
}

func (d *ListDecoder) readItem() (*Item, error) {
	u := &d.unit
	d.state = listNext
	index := d.count
	d.count++
	if _, d.err = u.read(levelObject, 0); d.err != nil {
		return nil, d.err
	}
	if !u.held {
		return nil, d.fault(u.lost.key)
	}
	d.item = Item{Object: u.src.bytes()[:u.size], Identity: u.identity(), Index: index, Offset: u.start}
	id := &d.item.Identity
	u.inherit(id, d.itemVersion, d.itemKind)
	u.inherit(id, u.apiVersion, u.kind)
	u.checkKind(id)
	u.checkIdentity(id, true)
	if u.scan.fault.rule != "" {
		return &d.item, d.fault(id.Key())
	}
	return &d.item, nil
}

// fault is the error for what costs this item alone, but for a Table.
func (d *ListDecoder) fault(key types.NamespacedName) error {
	e := d.unit.faultError(key)
	if e.lost {
		d.err = e
	}
	return e
}

//go:noinline // as scanner.bad
func (d *ListDecoder) broken() error {
	p := d.list.end
	return &FrameError{Offset: d.unit.src.offset + int64(p.at), Start: d.begin, Rule: p.rule, Detail: p.detail, lost: true}
}

//go:noinline // as scanner.bad
func (d *ListDecoder) fatal(rule string, at int, detail string) error {
	d.list.end = problem{rule: rule, detail: detail, at: at}
	return d.broken()
}
