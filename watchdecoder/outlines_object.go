package watchdecoder

// objectOutlines remembers whole objects, as an assigner remembers values: of one that differs from a valid one inside strings alone
// only these strings have to be looked at. Objects of one owner are often like that, and most updates of small ones.
type objectOutlines struct {
	ways   [outlineWays]outline
	recent int // the one that was found last
	misses int // how many objects were like none of those they were compared with ...
	cold   int // ... and how many in a row
}

// valid is [Valid].
func (s *objectOutlines) valid(raw []byte) error {
	// Where nothing resembles anything, looking is not to cost more than a few in a hundred.
	look := s.cold < 1<<6 || s.cold&31 == 0
	if look && s.knows(raw) {
		s.cold = 0
		return nil
	}
	err := Valid(raw)
	if err != nil || !look {
		s.cold++
		return err
	}
	if s.misses&7 == 0 && len(raw) <= textLength && raw[0] == '{' {
		s.ways[s.misses>>3%outlineWays].learn(raw, 0)
	}
	s.misses++
	s.cold++
	return nil
}

// knows reports whether raw is of an outline that is remembered.
func (s *objectOutlines) knows(raw []byte) bool {
	v := validator{b: raw}
	for i := range s.ways {
		at := (s.recent + i) % outlineWays
		if s.ways[at].end(&v, 0, 0) == len(raw) {
			s.recent = at
			return true
		}
	}
	return false
}
