package main

import (
	"fmt"
	"strconv"
	"time"
)

// clock is how a moment is written for people: local time, to the millisecond.
func clock(t time.Time) string { return t.Format("15:04:05.000") }

// gap writes a duration in few characters and three or four digits: 0.084ms, 12ms, 1.204s, 95.3s, 12m05s, 3h04m.
func gap(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + gap(-d)
	case d < time.Millisecond:
		return fmt.Sprintf("%.3fms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < 10*time.Second:
		return fmt.Sprintf("%.3fs", d.Truncate(time.Millisecond).Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

// count writes a number and its noun: "1 chunk", "2 chunks".
func count[N ~int | ~int64 | ~uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
