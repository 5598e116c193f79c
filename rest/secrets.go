package rest

import "strings"

// minSecret is the length below which a secret is not looked for in texts: it would be found in most of them.
const minSecret = 4

// secrets masks what must not come back in what a peer says; nil masks nothing. It is a func because no verb of fmt shows what is in one.
type secrets func(text string) string

// secretsOf masks a password and the words of an Authorization field without its scheme.
func secretsOf(authorization, password string) secrets {
	_, value, _ := strings.Cut(authorization, " ")
	return func(text string) string {
		for _, secret := range [...]string{value, password} {
			if len(secret) >= minSecret {
				text = strings.ReplaceAll(text, secret, masked)
			}
		}
		return text
	}
}

// hide masks a text. A peer that repeats secrets is not always an enemy: login pages and proxies quote the request they refuse.
//
//go:noinline // it is for errors
func (s secrets) hide(text string) string {
	if s == nil {
		return text
	}
	return s(text)
}

func (s secrets) hideAll(texts []string) []string {
	for i, text := range texts {
		texts[i] = s.hide(text)
	}
	return texts
}

// Hide masks the credentials of the request in a text that stood in the body and is to be shown, such as the message of a Status inside a watch.
func (r *Response) Hide(text string) string { return r.Body.x.secrets.hide(text) }
