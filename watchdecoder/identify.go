package watchdecoder

// text returns the unescaped text of a field, nil if there is none, and false if it is no text of a JSON string.
func (u *unit) text(f field) ([]byte, bool) {
	if u.scan.found&(1<<f) == 0 {
		return nil, true
	}
	s := u.scan.spans[f]
	text := u.src.bytes()[s.from:s.to]
	if plain(text) {
		return text, true
	}
	from := len(u.scratch)
	var ok bool
	u.scratch, ok = appendUnquoted(u.scratch, text)
	if !ok {
		u.scratch = u.scratch[:from]
		u.scan.bad(RuleBadString, s.from, f.String())
		return nil, false
	}
	return u.scratch[from:len(u.scratch):len(u.scratch)], true
}

func (u *unit) identity() Identity {
	if cap(u.scratch) > longestListText {
		u.scratch = nil
	}
	u.scratch = u.scratch[:0]
	var id Identity
	id.APIVersion, _ = u.text(fieldAPIVersion)
	id.Kind, _ = u.text(fieldKind)
	id.Namespace, _ = u.text(fieldNamespace)
	id.Name, _ = u.text(fieldName)
	id.UID, _ = u.text(fieldUID)
	id.ResourceVersion, _ = u.text(fieldResourceVersion)
	return id
}

func (u *unit) eventType() EventType {
	text, _ := u.text(fieldType)
	switch string(text) {
	case "ADDED":
		return Added
	case "MODIFIED":
		return Modified
	case "DELETED":
		return Deleted
	case "BOOKMARK":
		return Bookmark
	case "ERROR":
		return Error
	}
	return Unknown
}

// inherit gives an identity without kind or apiVersion those that are expected.
func (u *unit) inherit(id *Identity, apiVersion, kind []byte) {
	if len(id.Kind) == 0 {
		id.Kind = kind
	}
	if len(id.APIVersion) == 0 {
		id.APIVersion = apiVersion
	}
}

// checkKind holds an object to what is expected, where it says anything.
func (u *unit) checkKind(id *Identity) {
	switch {
	case string(id.Kind) == "Table" && string(u.kind) != "Table":
		u.scan.bad(RuleTable, u.at(fieldKind), "")
	case len(u.kind) > 0 && string(id.Kind) != string(u.kind):
		u.scan.bad(RuleKind, u.at(fieldKind), excerpt(id.Kind))
	case len(u.apiVersion) > 0 && string(id.APIVersion) != string(u.apiVersion):
		u.scan.bad(RuleKind, u.at(fieldAPIVersion), excerpt(id.APIVersion))
	}
}

// checkIdentity holds an object to the names that it cannot do without (decision 10 of DESIGN.md: it could not be stored).
func (u *unit) checkIdentity(id *Identity, named bool) {
	switch {
	case named && len(id.Name) == 0:
		u.scan.bad(RuleNoName, u.at(fieldName), "")
	case len(id.ResourceVersion) == 0:
		u.scan.bad(RuleNoVersion, u.at(fieldResourceVersion), "")
	}
}

// at is the position to blame for a field: its value, or else the unit's beginning.
func (u *unit) at(f field) int {
	if u.scan.found&(1<<f) == 0 {
		return 0
	}
	return u.scan.spans[f].from
}

// initialEventsEnd is the annotation of the bookmark that ends the initial events (KEP-3157).
const initialEventsEnd = "k8s.io/initial-events-end"

func (u *unit) endsInitialEvents() bool {
	if u.scan.found&(1<<fieldAnnotations) == 0 {
		return false
	}
	s := u.scan.spans[fieldAnnotations]
	ends := false
	for key, value := range textMembers(u.src.bytes()[s.from:s.to]) {
		if string(key) == initialEventsEnd {
			ends = string(value) == "true"
		}
	}
	return ends
}
