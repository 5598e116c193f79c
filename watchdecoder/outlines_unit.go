package watchdecoder

// keyLevels is how deep keys stand that name a field of a watch event, of its object, of its metadata.
const keyLevels = 3

// recall compares the unit with those that came before: one that is alike ends where they did, and its fields are where theirs
// were, moved by what its strings are longer or shorter. So nothing has to be scanned. As long as it is alike there is no fault
// in it either, and to wait for the rest does no harm. An error ends the stream.
func (u *unit) recall() (ok bool, err error) {
	if u.looked = u.known.look(); !u.looked {
		return false, nil
	}
	for n := range outlineWays {
		o := u.known.way(n)
		if len(o.text) == 0 {
			continue
		}
		var t trail
		for {
			v := validator{b: u.src.bytes()}
			is := o.follow(&v, &t, &u.scan.spans)
			if is == alike && t.i <= u.maxBytes {
				u.known.hit(n)
				u.scan.seen, u.scan.found, u.scan.pos = o.seen, o.found, t.i
				return true, nil
			}
			if is != alikeSoFar || len(v.b) >= u.maxBytes || len(v.b)-t.i > textLength {
				break
			}
			if err := u.src.fill(); err != nil {
				return false, u.cut(err)
			}
		}
	}
	return false, nil
}

// remember learns a unit that was scanned and has no fault, if it is to be learned.
func (u *unit) remember() {
	text := u.src.bytes()[:u.scan.pos]
	o := u.known.missed(text, u.looked)
	if o == nil || validate(text) != nil {
		return
	}
	o.learn(text, 0, keyLevels)
	o.seen, o.found, o.marks = u.scan.seen, u.scan.found, o.marks[:0]
	for f := range fieldCount {
		if o.found&(1<<f) != 0 {
			s := u.scan.spans[f]
			o.mark(newFieldMark(s.from, 0, f))
			o.mark(newFieldMark(s.to, 1, f))
		}
	}
}

// mark keeps the marks in their order.
func (o *outline) mark(m fieldMark) {
	o.marks = append(o.marks, m)
	for i := len(o.marks) - 1; i > 0 && o.marks[i-1] > m; i-- {
		o.marks[i-1], o.marks[i] = o.marks[i], o.marks[i-1]
	}
}
