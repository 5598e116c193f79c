package listwatch

import "k8s.io/apimachinery/pkg/util/resourceversion"

// older reports whether a is known to be older than b: both are decimal, and a is less (KEP-5504). Versions of other forms are never older.
func older(a, b string) bool {
	c, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && c < 0
}
