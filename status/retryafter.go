package status

import (
	"strings"
	"time"
)

// MaxRetryAfter bounds every delay that a server can ask for: a typing error must not put a client to sleep for years.
const MaxRetryAfter = 24 * time.Hour

// ParseRetryAfter reads a Retry-After value (RFC 9110 10.2.3): seconds, or a date in any of HTTP's three formats, which is taken relative to now.
// More than MaxRetryAfter is MaxRetryAfter; a date that has passed is zero. Anything else is false.
func ParseRetryAfter(value string, now time.Time) (time.Duration, bool) {
	value = strings.Trim(value, " \t")
	if d, ok := parseSeconds(value); ok {
		return d, true
	}
	if at, ok := parseHTTPDate(value, now); ok {
		return min(max(0, at.Sub(now)), MaxRetryAfter), true
	}
	return 0, false
}

// parseSeconds reads delay-seconds, 1*DIGIT of any length: no sign, no fraction.
func parseSeconds(value string) (time.Duration, bool) {
	const most = int64(MaxRetryAfter / time.Second)
	var n int64
	for i := range len(value) {
		c := value[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int64(c-'0'), most)
	}
	return time.Duration(n) * time.Second, value != ""
}

// The formats of RFC 9110 5.6.7, of which a recipient must know all.
const (
	imfFixdate = "Mon, 02 Jan 2006 15:04:05 GMT"
	rfc850     = "Monday, 02-Jan-06 15:04:05 GMT"
	asctime    = "Mon Jan _2 15:04:05 2006"
)

func parseHTTPDate(value string, now time.Time) (time.Time, bool) {
	for _, layout := range []string{imfFixdate, rfc850, asctime} {
		at, err := time.Parse(layout, value)
		if err != nil {
			continue
		}
		if layout == rfc850 {
			at = inCentury(at, now)
		}
		if at.Format(layout) == value { // package time takes more than the grammar: fractions, one digit, any case, the wrong day
			return at, true
		}
	}
	return time.Time{}, false
}

// inCentury gives a year of two digits its century: a date more than 50 years ahead is in the past (RFC 9110 5.6.7).
func inCentury(at, now time.Time) time.Time {
	latest := now.AddDate(50, 0, 0)
	for year := now.Year() - now.Year()%100 + at.Year()%100 + 100; ; year -= 100 {
		dated := time.Date(year, at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
		if !dated.After(latest) {
			return dated
		}
	}
}
