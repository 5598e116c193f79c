// Package secrets looks for planted secrets in whatever a program can print. It is for tests: its own hold everything the module prints to it, over
// success and failure of every way to authenticate and to connect; cmd/rawwatch's do so for the command.
package secrets

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Planted are secrets by what they are. A value must be long enough not to occur by chance: eight bytes or more.
type Planted map[string]string

// Find returns which secrets a text shows, and how: as they are, in base64 at any place of a longer text, in hexadecimal, escaped for URLs, Go or JSON,
// or as the numbers that fmt makes of bytes.
func (p Planted) Find(text string) []string {
	var found []string
	for name, secret := range p {
		for how, form := range forms(secret) {
			if strings.Contains(text, form) {
				found = append(found, name+" "+how)
			}
		}
	}
	slices.Sort(found)
	return found
}

func forms(secret string) map[string]string {
	quoted := strconv.Quote(secret)
	escaped, err := json.Marshal(secret)
	if err != nil {
		panic(err)
	}
	decimal := strings.Trim(fmt.Sprint([]byte(secret)), "[]")
	all := map[string]string{
		"as it is": secret, "in hexadecimal": hex.EncodeToString([]byte(secret)), "in upper hexadecimal": fmt.Sprintf("%X", secret),
		"in spaced hexadecimal": fmt.Sprintf("% x", secret), "in a query": url.QueryEscape(secret), "in a path": url.PathEscape(secret),
		"quoted by Go": quoted[1 : len(quoted)-1], "quoted by JSON": string(escaped[1 : len(escaped)-1]),
		"as numbers": decimal, "as Go's bytes": strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%#v", []byte(secret)), "[]byte{"), "}"),
	}
	for shift := range 3 {
		for name, encoding := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64 for URLs": base64.RawURLEncoding} {
			// What stands before and after shares a group of four with the ends of it.
			text := encoding.EncodeToString([]byte(strings.Repeat("x", shift) + secret))
			text = text[(shift*8+5)/6 : len(text)-len(text)%4]
			all[fmt.Sprintf("in %s, shifted by %d", name, shift)] = text
		}
	}
	return all
}
