package status

import (
	"net/http"
	"testing"
	"time"
)

func TestParseRetryAfter(t *testing.T) {
	for _, c := range []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"0", 0, true},
		{"1", time.Second, true},
		{" 5\t", 5 * time.Second, true},
		{"007", 7 * time.Second, true},
		{"86400", 24 * time.Hour, true},
		{"86401", 24 * time.Hour, true},
		{"99999999999999999999999999999999", 24 * time.Hour, true},
		{"18446744073709551621", 24 * time.Hour, true}, // 2^64 + 5 is not five
		{"", 0, false},
		{" ", 0, false},
		{"-1", 0, false},
		{"+1", 0, false},
		{"1.5", 0, false},
		{"1s", 0, false},
		{"0x1", 0, false},
		{"1 1", 0, false},
		{"1,1", 0, false},
		{"\u0661", 0, false},
		{"soon", 0, false},

		// now is a Friday, 2026-08-21 12:00:00.
		{"Fri, 21 Aug 2026 12:00:01 GMT", time.Second, true},
		{"Fri, 21 Aug 2026 11:59:59 GMT", 0, true},
		{"Sat, 22 Aug 2026 12:00:00 GMT", 24 * time.Hour, true},
		{"Sat, 22 Aug 2026 12:00:01 GMT", 24 * time.Hour, true},
		{"Fri, 31 Dec 9999 23:59:59 GMT", 24 * time.Hour, true}, // further than a time.Duration
		{"Sat, 01 Jan 0000 00:00:00 GMT", 0, true},
		{"Friday, 21-Aug-26 12:01:00 GMT", time.Minute, true},
		{"Sunday, 06-Nov-94 08:49:37 GMT", 0, true}, // 1994: 2094 is too far ahead
		{"Fri Aug 21 12:00:02 2026", 2 * time.Second, true},
		{"Sat Aug  1 12:00:00 2026", 0, true},
		{"Fri, 21 Aug 2026 12:00:01.5 GMT", 0, false},
		{"Fri, 21 Aug 2026 12:00:01 UTC", 0, false},
		{"Fri, 21 Aug 2026 12:00:01 PST", 0, false},
		{"Fri, 21 Aug 2026 12:00:01 +0000", 0, false},
		{"Thu, 21 Aug 2026 12:00:01 GMT", 0, false}, // it was a Friday
		{"fri, 21 aug 2026 12:00:01 GMT", 0, false},
		{"Fri, 21 Aug 2026 1:00:01 GMT", 0, false},
		{"Fri, 32 Aug 2026 12:00:01 GMT", 0, false},
		{"Fri, 21 Aug 2026 12:00:60 GMT", 0, false},
		{"Friday, 21-Aug-26 12:01:00 EST", 0, false},
		{"2026-08-21T12:00:01Z", 0, false},
	} {
		if got, ok := ParseRetryAfter(c.value, now); got != c.want || ok != c.ok {
			t.Errorf("%q: %v, %v; want %v, %v", c.value, got, ok, c.want, c.ok)
		}
	}
}

// A year of two digits is the one closest to the present that is at most 50 years ahead (RFC 9110 5.6.7).
func TestTwoDigitYears(t *testing.T) {
	for _, c := range []struct {
		now  string
		in   string
		want string
	}{
		{"2026-01-01", "Wednesday, 01-Jan-75 00:00:00 GMT", ""}, // as it was in 1975
		{"2026-01-01", "Tuesday, 01-Jan-75 00:00:00 GMT", "2075-01-01"},
		{"2026-01-01", "Wednesday, 01-Jan-76 00:00:00 GMT", "2076-01-01"},
		{"2026-01-01", "Sunday, 02-Jan-77 00:00:00 GMT", "1977-01-02"},
		{"2099-12-31", "Friday, 01-Jan-00 00:00:00 GMT", "2100-01-01"},
		{"2101-01-01", "Thursday, 31-Dec-99 00:00:00 GMT", "2099-12-31"},
	} {
		at, err := time.Parse(time.DateOnly, c.now)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := parseHTTPDate(c.in, at)
		if c.want == "" && !ok {
			continue
		}
		if !ok || got.Format(time.DateOnly) != c.want {
			t.Errorf("%s in %s: %v, %v, want %s", c.in, c.now, got, ok, c.want)
		}
	}
}

// net/http reads and writes the same dates.
func TestDatesOfNetHTTP(t *testing.T) {
	for day := range 800 {
		at := now.Add(-time.Duration(day) * 25 * time.Hour)
		for _, layout := range []string{http.TimeFormat, "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
			value := at.Format(layout)
			theirs, err := http.ParseTime(value)
			ours, ok := parseHTTPDate(value, now)
			if err != nil || !ok || !ours.Equal(theirs) {
				t.Errorf("%s: %v, %v; net/http %v, %v", value, ours, ok, theirs, err)
			}
		}
	}
}
