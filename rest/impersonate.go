package rest

import (
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Impersonation is whom to act as; the credentials must be allowed to (https://kubernetes.io/docs/reference/access-authn-authz/authentication, "User
// impersonation"). The zero value is nobody.
type Impersonation struct {
	User   string
	UID    string
	Groups []string
	// Extra is sent in fields whose names hold the keys. The API server reads the keys in lower case.
	Extra map[string][]string
}

// given reports whether there is anything in it.
func (i *Impersonation) given() bool {
	return i.User != "" || i.UID != "" || len(i.Groups) > 0 || len(i.Extra) > 0
}

// header returns the fields that say so, in an order that does not change, or the rule that is broken. Values are not repeated in it.
func (i *Impersonation) header() (h Header, rule string) {
	if i.User == "" {
		if i.given() {
			rule = "a uid, groups or extra without a user to act as"
		}
		return nil, rule
	}
	h.Add("Impersonate-User", i.User)
	if i.UID != "" {
		h.Add("Impersonate-Uid", i.UID)
	}
	for _, group := range i.Groups {
		h.Add("Impersonate-Group", group)
	}
	keys := make([]string, 0, len(i.Extra))
	for key := range i.Extra {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		name := "Impersonate-Extra-" + escapeExtraKey(key)
		for _, value := range i.Extra[key] {
			h.Add(name, value)
		}
	}
	for _, f := range h {
		// Blanks at the ends are cut off on the way (RFC 9110 5.5): "admin " would act as "admin".
		if !httpguts.ValidHeaderFieldValue(f.Value) || f.Value != strings.TrimSpace(f.Value) {
			return nil, "a value that begins or ends with a blank, or holds a control character, in " + quote(f.Name)
		}
	}
	return h, ""
}

// escapeExtraKey makes a key fit for a field name. The API server undoes it as it would undo a path's escapes, so what is no token (RFC 9110 5.6.2)
// becomes %XX, and so does the percent sign.
func escapeExtraKey(key string) string {
	var b []byte
	for i := range len(key) {
		if c := key[i]; c != '%' && c < 0x80 && httpguts.IsTokenRune(rune(c)) {
			b = append(b, c)
		} else {
			b = appendEscape(b, c)
		}
	}
	return string(b)
}
