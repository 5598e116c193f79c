package fifo

// ring is a queue in one array that is used over and over: what comes and goes at the same pace allocates nothing.
type ring[E any] struct {
	array []E // its length is a power of two
	head  int
	n     int
	most  int // there were at one time since it was empty last
}

// keepRing is the largest array that an empty ring keeps in any case.
const keepRing = 64

// at returns the i-th element's place.
func (r *ring[E]) at(i int) *E { return &r.array[(r.head+i)&(len(r.array)-1)] }

//go:noinline // it is large, and called from everywhere
func (r *ring[E]) append(e *E) {
	if r.n == len(r.array) {
		r.resize(max(8, 2*r.n))
	}
	*r.at(r.n) = *e
	r.n++
	r.most = max(r.most, r.n)
}

// front returns up to limit elements from the first one on, as they stand: fewer where the array ends. They are valid
// until they are dropped, whatever is appended meanwhile.
func (r *ring[E]) front(limit int) []E {
	n := min(r.n, limit, len(r.array)-r.head)
	return r.array[r.head : r.head+n : r.head+n]
}

// straighten makes front return all.
func (r *ring[E]) straighten() {
	if r.head+r.n > len(r.array) {
		r.resize(len(r.array))
	}
}

// drop removes the first n elements. An array that has become large goes once it stood empty and then little came: a
// burst's memory does not outlive the burst for long, and the next burst finds it if it is there soon.
func (r *ring[E]) drop(n int) {
	for i := range n {
		*r.at(i) = *new(E)
	}
	r.head = (r.head + n) & (len(r.array) - 1)
	if r.n -= n; r.n > 0 {
		return
	}
	if len(r.array) > keepRing && r.most < len(r.array)/8 {
		r.array = nil
	}
	r.head, r.most = 0, 0
}

//go:noinline // it is rare
func (r *ring[E]) resize(size int) {
	array := make([]E, size)
	for i := range r.n {
		array[i] = *r.at(i)
	}
	r.array, r.head = array, 0
}
