package fifo

// pending is what a reader that left the log has still to see: changes in the order in which their keys first changed,
// merged as far as its policy allows.
type pending[T any] struct {
	difference bool // merge across relists and new lives of a key too

	entries []change[T] // entries[first:], with holes
	first   int
	live    int
	newest  map[Key]int // where the newest change of a key stands
}

// change is one pending event; a zero Kind makes it a hole.
type change[T any] struct {
	Event[T]
	before int // where the change of the same key before this one stands; less than first when there is none
}

func newPending[T any](difference bool) *pending[T] {
	return &pending[T]{difference: difference, newest: make(map[Key]int)}
}

func (p *pending[T]) len() int { return p.live }

//go:noinline // it is large, and called from everywhere
func (p *pending[T]) append(e *Event[T]) {
	before, ok := p.newest[e.Key]
	if !ok {
		before = -1
	}
	p.entries = append(p.entries, change[T]{Event: *e, before: before})
	p.newest[e.Key] = len(p.entries) - 1
	p.live++
}

// fold adds e, merged with what is pending for its key.
func (p *pending[T]) fold(e *Event[T]) {
	at, ok := p.newest[e.Key]
	if !ok {
		p.append(e)
		return
	}
	earlier := &p.entries[at].Event
	if !p.difference && (earlier.Generation != e.Generation || differ(earlier.UID, e.UID)) {
		p.append(e)
		return
	}
	switch {
	case earlier.Kind == ObjectAdded && e.Kind == ObjectDeleted:
		p.remove(at) // it came and went unseen
	case earlier.Kind == ObjectDeleted && e.Kind == ObjectAdded && differ(earlier.UID, e.UID):
		p.append(e) // two lives of one key stay two events
	default:
		*earlier = join(earlier, e)
	}
}

// join is two changes of one object in one: the first one's old state, the last one's new state.
func join[T any](earlier, later *Event[T]) Event[T] {
	e := *later
	e.Received = earlier.Received
	e.Initial = earlier.Initial && later.Initial
	switch {
	case later.Kind == ObjectDeleted: // its New is the last state known to anyone
		if earlier.Kind == ObjectUpdated {
			e.Old = earlier.Old
		}
	case later.Kind == ObjectResync:
		e.Kind, e.Old = earlier.Kind, earlier.Old
	case earlier.Kind == ObjectResync:
	case earlier.Kind == ObjectAdded:
		e.Kind, e.Old = ObjectAdded, earlier.Old
	default:
		e.Kind, e.Old = ObjectUpdated, earlier.Old
	}
	return e
}

func differ(a, b string) bool { return a != "" && b != "" && a != b }

// remove makes a hole of the change at position at; the one of the same key before it, if any, is the newest again.
func (p *pending[T]) remove(at int) {
	key, before := p.entries[at].Key, p.entries[at].before
	p.entries[at] = change[T]{}
	p.live--
	if before >= p.first {
		p.newest[key] = before
	} else {
		delete(p.newest, key)
	}
	if holes := len(p.entries) - p.first - p.live; holes > p.live+64 {
		p.compact()
	}
}

// compact rewrites the changes without the holes, so that keys that come and go unseen leave nothing behind.
func (p *pending[T]) compact() {
	entries := make([]change[T], 0, p.live+p.live/4)
	clear(p.newest)
	for _, c := range p.entries[p.first:] {
		if c.Kind == 0 {
			continue
		}
		before, ok := p.newest[c.Key]
		if !ok {
			before = -1
		}
		c.before = before
		entries = append(entries, c)
		p.newest[c.Key] = len(entries) - 1
	}
	p.entries, p.first = entries, 0
}

// take appends the first n changes to dst and forgets them.
func (p *pending[T]) take(dst []Event[T], n int) []Event[T] {
	for n > 0 {
		c := &p.entries[p.first]
		if c.Kind != 0 {
			dst = append(dst, c.Event)
			if p.newest[c.Key] == p.first {
				delete(p.newest, c.Key)
			}
			p.live--
			n--
		}
		*c = change[T]{}
		p.first++
	}
	return dst
}
