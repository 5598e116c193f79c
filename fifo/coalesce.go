package fifo

// append adds d, or merges it with a waiting delta of its key.
func (q *Queue[T]) append(d Delta[T]) {
	if !q.options.Coalesce {
		q.waiting.append(&d)
		return
	}
	if at, ok := q.mergeable(d); ok {
		earlier := q.waiting.at(at)
		d.Type, d.Received = merged(earlier.Type, d.Type), earlier.Received
		*earlier = d
		if d.Type == Deleted {
			delete(q.newest, d.Key) // what follows a deletion is another life of the key
		}
		return
	}
	q.waiting.append(&d)
	switch d.Type {
	case Added, Updated, Resync:
		if d.Key.Name != "" {
			q.newest[d.Key] = q.base + q.waiting.n - 1
		}
	case Deleted:
		delete(q.newest, d.Key)
	case Replaced:
		clear(q.newest)
	}
}

// merges reports whether d would find a place in a full queue.
func (q *Queue[T]) merges(d Delta[T]) bool {
	_, ok := q.mergeable(d)
	return ok && q.options.Coalesce
}

// mergeable finds the waiting delta that d supersedes: one of the same key and, as far as both are known, the same UID,
// which the consumer has not been given yet.
func (q *Queue[T]) mergeable(d Delta[T]) (int, bool) {
	position, ok := q.newest[d.Key]
	at := position - q.base
	if !ok || at < q.taken || d.Type == Replaced || d.Type == Bookmark || d.Type == Resync {
		return 0, false
	}
	earlier := q.waiting.at(at)
	if earlier.UID != "" && d.UID != "" && earlier.UID != d.UID {
		return 0, false
	}
	return at, earlier.Type != Deleted
}

// merged is the type of two deltas in one: an object that the consumer has not seen stays Added, unless it is gone.
func merged(earlier, later DeltaType) DeltaType {
	if earlier == Added && later == Updated {
		return Added
	}
	return later
}
