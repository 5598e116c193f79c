package store

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// Key names an object: namespace and name, the namespace empty where the resource has none.
type Key = types.NamespacedName

// ParseKey reads the field's usual form, "namespace/name" or "name". It does not check that the parts are valid names.
func ParseKey(s string) (Key, error) {
	namespace, name, found := strings.Cut(s, "/")
	if !found {
		namespace, name = "", s
	}
	if name == "" || found && namespace == "" || strings.Contains(name, "/") {
		return Key{}, fmt.Errorf("store: key %.300q is neither \"name\" nor \"namespace/name\"", s)
	}
	return Key{Namespace: namespace, Name: name}, nil
}

// FormatKey is the inverse of ParseKey. (Key's own String prints "/name" where there is no namespace.)
func FormatKey(k Key) string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}
