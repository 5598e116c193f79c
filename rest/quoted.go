package rest

import "strconv"

// maxQuoted bounds how much of a foreign string an error message repeats.
const maxQuoted = 64

// quote returns a foreign string escaped and shortened, for an error message.
func quote(s string) string {
	if len(s) > maxQuoted {
		return strconv.QuoteToASCII(s[:maxQuoted]) + "..."
	}
	return strconv.QuoteToASCII(s)
}
