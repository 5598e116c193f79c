package rest

import "strconv"

// How much of a foreign string an error message repeats. Paths get more: a path
// cut short helps nobody.
const (
	maxQuoted     = 64
	maxQuotedPath = 512
)

// quote returns a foreign string escaped and shortened, for an error message.
//
//go:noinline // it is called from everywhere
func quote(s string) string { return quoteMax(s, maxQuoted) }

//go:noinline // as quote
func quotePath(s string) string { return quoteMax(s, maxQuotedPath) }

func quoteMax(s string, limit int) string {
	if len(s) > limit {
		return strconv.QuoteToASCII(s[:limit]) + "..."
	}
	return strconv.QuoteToASCII(s)
}
