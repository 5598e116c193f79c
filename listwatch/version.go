package listwatch

import "k8s.io/apimachinery/pkg/util/resourceversion"

// older reports whether a is known to be older than b: both are decimal, and a is less (KEP-5504). Versions of other forms are never older.
func older(a, b string) bool {
	c, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && c < 0
}

// follows reports whether b may come after a from one server: it is not older. Versions that are not decimal can only be equal or not; but a server has
// either kind, so from one to the other there is no way.
func follows(a, b string) bool {
	return a == "" || !older(b, a) && decimal(a) == decimal(b)
}

func decimal(v string) bool {
	_, err := resourceversion.CompareResourceVersion(v, v)
	return err == nil
}
