package rest

import (
	"net/url"
	"strconv"
)

// ListOptions are the query parameters of a list or watch request, under the
// API's own names. The zero value asks for a plain, consistent list of everything.
//
// What the server accepts (API concepts, "Resource versions" and "Streaming
// lists"; metav1 validation):
//
//   - ResourceVersion of a list: "" is the most recent state; "0" is any state,
//     possibly arbitrarily old; "N" is not older than N (the server waits up to
//     3 s, then answers 504 with the cause ResourceVersionTooLarge).
//   - ResourceVersion of a watch: "" and "0" first send the present objects as
//     ADDED, in no order; "N" sends changes after N, or 410.
//   - ResourceVersionMatch needs a ResourceVersion, is refused together with
//     Continue, and Exact is refused with "0". "N" with a Limit but without a
//     match means Exact.
//   - Continue carries the version of the first page: ResourceVersion and
//     ResourceVersionMatch must be empty beside it.
//   - SendInitialEvents is for watches only and needs
//     ResourceVersionMatch=NotOlderThan; on a watch each is refused without the
//     other, as is SendInitialEvents where the feature is off (422 Invalid).
//   - TimeoutSeconds bounds a watch at the server; without it the server picks
//     30 to 60 minutes.
//
// None of it is checked here: a debugging tool must be able to send what is
// wrong and show the answer.
type ListOptions struct {
	LabelSelector        string
	FieldSelector        string
	ResourceVersion      string
	ResourceVersionMatch string // "", "NotOlderThan" or "Exact"
	Continue             string
	Limit                int64 // objects per page; 0: no limit
	TimeoutSeconds       int64 // 0: the server's choice
	AllowWatchBookmarks  bool
	SendInitialEvents    *bool // nil: not sent
	Watch                bool
	// Extra is added as it is, for parameters that have no field here. A name
	// that has a field is overridden by Extra. It is not modified.
	Extra url.Values
}

// The values of ListOptions.ResourceVersionMatch.
const (
	MatchNotOlderThan = "NotOlderThan"
	MatchExact        = "Exact"
)

// Query returns the parameters that are set, and only those. The caller owns
// the result; its Encode writes them in alphabetical order.
func (o ListOptions) Query() url.Values {
	q := url.Values{}
	for _, p := range []struct{ name, value string }{
		{"labelSelector", o.LabelSelector},
		{"fieldSelector", o.FieldSelector},
		{"resourceVersion", o.ResourceVersion},
		{"resourceVersionMatch", o.ResourceVersionMatch},
		{"continue", o.Continue},
		{"limit", unlessZero(o.Limit)},
		{"timeoutSeconds", unlessZero(o.TimeoutSeconds)},
		{"allowWatchBookmarks", whereSet(&o.AllowWatchBookmarks, true)},
		{"sendInitialEvents", whereSet(o.SendInitialEvents, false)},
		{"watch", whereSet(&o.Watch, true)},
	} {
		if p.value != "" {
			q.Set(p.name, p.value)
		}
	}
	for name, values := range o.Extra {
		q[name] = append([]string(nil), values...)
	}
	return q
}

func unlessZero(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// whereSet is the text of a flag; only says that false is not worth one.
func whereSet(flag *bool, only bool) string {
	if flag == nil || only && !*flag {
		return ""
	}
	return strconv.FormatBool(*flag)
}
