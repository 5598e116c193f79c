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
	if i.User == "" && i.given() {
		return nil, "a uid, groups or extra without a user to act as"
	}
	h.addEach("User", i.User)
	h.addEach("Uid", i.UID)
	h.addEach("Group", i.Groups...)
	keys := make([]string, 0, len(i.Extra))
	for key := range i.Extra {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, strings.Compare)
	for _, key := range keys {
		h.addEach("Extra-"+escapeExtraKey(key), i.Extra[key]...)
	}
	for _, f := range h {
		// Blanks at the ends are cut off on the way (RFC 9110 5.5): "admin " would act as "admin".
		if !httpguts.ValidHeaderFieldValue(f.Value) || f.Value != strings.TrimSpace(f.Value) {
			return nil, "a value that begins or ends with a blank, or holds a control character, in " + quote(f.Name)
		}
	}
	return h, ""
}

// addEach adds a field for each value. Of a user or a uid, empty is none.
func (h *Header) addEach(name string, values ...string) {
	for _, value := range values {
		if value != "" || name != "User" && name != "Uid" {
			h.Add("Impersonate-"+name, value)
		}
	}
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
