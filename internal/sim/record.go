package sim

// Record takes everything that the checker looks at; after Stop, it includes what was leaked.
func (w *World) Record() *Record {
	r := &Record{
		Server: w.History.Steps(), Status: w.status, Stats: w.Client.Stats(), Requests: int(w.asked.Load()), Dials: w.Network.Dials(),
		Epochs: w.History.Epochs(), Problems: w.Problems(), Exact: w.o.Exact,
		Fired: w.Network.Fired(), Refused: w.Network.Refusals(), Transitions: w.Transitions(), OpenConns: w.Network.Open(), OpenViews: w.Informer.Store().OpenSnapshots(),
	}
	if !w.stopped {
		r.Status = w.Informer.Status()
	}
	v := w.look()
	r.Store, r.Index = v.Objects, v.Index
	for _, h := range w.Handlers {
		r.Handlers = append(r.Handlers, h.record(r))
	}
	return r
}

func (h *Handler) record(r *Record) HandlerRecord {
	rec := HandlerRecord{Name: h.Options.Name, Seen: h.Seen(), Narrow: h.Options.Match != nil}
	h.mu.Lock()
	rec.Overlaps = h.overlaps
	h.mu.Unlock()
	select {
	case <-h.synced():
		rec.Synced = true
	default:
	}
	for _, s := range r.Status.Subscriptions {
		if s.Name == rec.Name {
			rec.Handled, rec.Slow = s.Handled, s.Slow
		}
	}
	return rec
}

// Finish lets the world converge, stops it, and judges it. It is how a run ends.
func (w *World) Finish() []Violation {
	_, converged := w.Converge(w.patience())
	w.Stop()
	r := w.Record()
	r.Converged = converged
	return Check(r)
}
