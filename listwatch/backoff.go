package listwatch

import "time"

const (
	defaultBackoffInitial = 800 * time.Millisecond
	defaultBackoffMax     = 30 * time.Second
	defaultBackoffHealthy = 2 * time.Minute

	// longestRetryAfter caps what a server asks for: a day of Retry-After is a mistake, and costs more than asking again.
	longestRetryAfter = 5 * time.Minute
	// soonest spreads reconnects of many clients after something healthy broke for all of them.
	soonest = time.Second
)

func (b Backoff) withDefaults() Backoff {
	for _, d := range []struct {
		value *time.Duration
		def   time.Duration
	}{{&b.Initial, defaultBackoffInitial}, {&b.Max, defaultBackoffMax}, {&b.Healthy, defaultBackoffHealthy}} {
		switch {
		case *d.value == 0:
			*d.value = d.def
		case *d.value < 0:
			*d.value = 0
		}
	}
	return b
}

// ladder is the exponential delay of one kind of failure. It begins anew only when things have gone well for Backoff.Healthy: counting from the last failure
// or from the last beginning, a server that fails for hours would be asked at full speed every two minutes.
type ladder struct {
	step  int
	since time.Time // things go well since; zero while they do not
}

// good notes a success.
//
//go:noinline // it is called from everywhere
func (l *ladder) good(now time.Time) {
	if l.since.IsZero() {
		l.since = now
	}
}

// healthy reports whether things have gone well for long enough.
func (l *ladder) healthy(b Backoff, now time.Time) bool {
	return !l.since.IsZero() && now.Sub(l.since) >= b.Healthy
}

// restart begins anew: what goes well from here on counts from its next success.
func (l *ladder) restart() { *l = ladder{} }

// next notes a failure and returns how long to wait.
func (l *ladder) next(b Backoff, now time.Time, random float64) time.Duration {
	if l.healthy(b, now) {
		l.step = 0
	}
	l.since = time.Time{}
	d := min(b.Initial, b.Max)
	for range l.step {
		d = min(2*d, b.Max)
	}
	if 0 < d && d < b.Max {
		l.step++
	}
	return time.Duration(float64(d) * (0.8 + 0.4*random))
}
