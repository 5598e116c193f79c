package watchdecoder

// outlineTable is how many members are remembered, by the length of their names.
const outlineTable = 1 << 3

// skipMember is skip for the value of an undeclared member whose name is so long: managedFields, for one, are alike in all objects of a controller.
func (a *assigner) skipMember(length int) bool {
	if c := a.peek(); c != '[' && c != '{' {
		return a.skip()
	}
	if a.outlines == nil {
		a.outlines = new([outlineTable]outlines)
	}
	known, from := &a.outlines[length%outlineTable], a.i
	look := known.look()
	if look {
		if end := known.find(&a.v, from, a.depth); end >= 0 {
			a.i = end
			return true
		}
	}
	if !a.skip() {
		return false
	}
	text := a.b[from:a.i]
	if o := known.missed(text, look); o != nil {
		o.learn(text, a.depth, 0)
	}
	return true
}
