package listwatch

import "time"

// repeatFirst is how long an incomplete state is lived with before it is asked for again. What spoiled an item on its way is over by then; what is spoiled
// in the server's storage stays so, and the interval doubles.
const repeatFirst = time.Minute

// repeat asks again for a complete state in which an item could not be read: it may have stood for an object that nobody has heard of, and that does not
// change for days, so that no watch will tell of it. What was lost of a watch waits here, too, while it may not cause a relist yet.
type repeat struct {
	bad   bool // an item of the state under way, or of the last one
	after time.Duration
	at    time.Time // zero is not at all
	lost  string    // the reason for a relist that may not be yet
}

// completed notes the end of a complete state. Negative most is never.
func (r *repeat) completed(now time.Time, most time.Duration) {
	if !r.bad || most < 0 {
		*r = repeat{}
		return
	}
	r.after = min(max(2*r.after, repeatFirst), max(most, repeatFirst))
	r.at, r.lost = now.Add(r.after), ""
}

// due reports once that the time has come. A watch asks at whatever it gets: bookmarks come each minute, and it ends after some.
func (r *repeat) due(now time.Time) bool {
	if r.at.IsZero() || now.Before(r.at) {
		return false
	}
	r.at = time.Time{}
	return true
}
