package listwatch

const (
	defaultPageSize = 500
	defaultMaxPages = 100_000
	// maxToken bounds a continue token, which becomes part of a URL. The API server's hold a key and a version: some hundred bytes.
	maxToken = 16 << 10
	// maxEmptyPages bounds the pages without objects in a row. The API server reads on until a page is full, whatever a selector leaves out.
	maxEmptyPages = 100
)

// pages follows the continue tokens of one list (API concepts, "Retrieving large results sets in chunks"). A server, or a cache in front of it, may repeat
// itself for ever: everything is bounded.
type pages struct {
	max     int // pages
	page    int // the one under way, from 1
	objects int64
	version string // of the first page
	before  int64  // objects before the page under way
	empty   int    // pages in a row

	// Brent's cycle detection: one remembered token finds a cycle of any length.
	mark  string
	steps int
	power int
}

func newPages(most int) pages { return pages{max: most, page: 1, power: 1} }

// end takes the metadata of a page that was read whole, and reports whether another one follows.
func (p *pages) end(version, token string) (more bool, err error) {
	switch {
	case version == "":
		return false, &VersionError{Rule: "a list without resourceVersion"}
	case version == "0": // a request may say it, no state is of it (KEP-5504)
		return false, &VersionError{Rule: "a list of an impossible resourceVersion", Got: version}
	case p.page == 1:
		p.version = version
	case version != p.version:
		return false, &PageError{Page: p.page, Rule: "the resourceVersion differs from the first page's", First: p.version, This: version}
	}
	if token == "" {
		return false, nil
	}
	if rule := p.refuse(token); rule != "" {
		return false, &PageError{Page: p.page, Rule: rule}
	}
	p.page++
	p.before = p.objects
	return true, nil
}

// refuse returns the rule a continue token breaks, or "".
func (p *pages) refuse(token string) string {
	p.empty++
	if p.objects > p.before {
		p.empty = 0
	}
	switch {
	case len(token) > maxToken:
		return "a continue token of more than 16 KiB"
	case token == p.mark:
		return "a continue token that came before"
	case p.empty >= maxEmptyPages:
		return "too many pages without objects in a row"
	case p.page >= p.max:
		return "more pages than Options.MaxPages"
	}
	if p.steps++; p.steps == p.power {
		p.mark, p.power, p.steps = token, 2*p.power, 0
	}
	return ""
}
