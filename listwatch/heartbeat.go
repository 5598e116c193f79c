package listwatch

import "time"

// How long a watch may be silent. Common L4 balancers drop a silent connection after 240 or 350 s without a word; L7 ones that cut at 60 s do it visibly.
const (
	firstSilence    = 150 * time.Second
	shortestSilence = 75 * time.Second // a quiet server sends bookmarks about every 60 s
	// overdue is what a watch may take beyond its timeoutSeconds.
	overdue = 30 * time.Second
)

// heartbeat learns from the bookmarks of one stream how long it may be silent.
type heartbeat struct {
	fixed   time.Duration // Options.IdleTimeout: zero learns, negative is no limit
	last    time.Time
	longest time.Duration // between two bookmarks
}

func (h *heartbeat) bookmark(now time.Time) {
	if !h.last.IsZero() {
		h.longest = max(h.longest, now.Sub(h.last))
	}
	h.last = now
}

// limit is how long the stream may be silent from now on. The longest interval counts: a server was seen to leave one bookmark out.
func (h *heartbeat) limit() time.Duration {
	switch {
	case h.fixed != 0:
		return h.fixed
	case h.longest == 0:
		return firstSilence
	}
	return max(shortestSilence, h.longest+h.longest/4)
}
