package rest

import "strings"

// minSecret is the length below which a secret is not looked for in texts: it would be found in most of them.
const minSecret = 4

// secretsOf are what must not come back in what a peer says: the words of an Authorization field, without its scheme, and passwords.
func secretsOf(authorization string, more ...string) []string {
	_, value, _ := strings.Cut(authorization, " ")
	return append(more, value)
}

// hide masks the credentials that the connection's request was sent with. A peer that repeats them is not always an enemy: login pages and proxies
// quote the request they refuse.
func (cn *conn) hide(text string) string {
	for _, secret := range cn.secrets {
		if len(secret) >= minSecret {
			text = strings.ReplaceAll(text, secret, masked)
		}
	}
	return text
}

func (cn *conn) hideAll(texts []string) []string {
	for i, text := range texts {
		texts[i] = cn.hide(text)
	}
	return texts
}
