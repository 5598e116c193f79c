package secrets

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// The search must be able to fail: a leak of each form, wherever it stands, is found.
func TestPlantedLeaksAreFound(t *testing.T) {
	const secret = "planted/secret+1\n"
	planted := Planted{"secret": secret}
	for name, leak := range map[string]any{
		"a string":           secret,
		"bytes":              []byte(secret),
		"an error":           errors.New("no access with " + secret),
		"the cause of one":   fmt.Errorf("no access: %w", &hiding{errors.New(secret)}),
		"a joined one":       errors.Join(errors.New("a"), &hiding{fmt.Errorf("%q", secret)}),
		"a field":            struct{ Name, Value string }{"token", secret},
		"a hidden field":     struct{ value string }{secret},
		"a field of bytes":   struct{ Key []byte }{[]byte(secret)},
		"a URL":              url.URL{Scheme: "http", User: url.UserPassword("me", secret), Host: "proxy"},
		"a query":            url.Values{"token": {secret}}.Encode(),
		"a header":           map[string]string{"Authorization": "Bearer " + secret},
		"basic":              "Basic " + base64.StdEncoding.EncodeToString([]byte("me:"+secret)),
		"basic, longer":      "Basic " + base64.StdEncoding.EncodeToString([]byte("you:"+secret+"x")),
		"basic, longest":     "Basic " + base64.URLEncoding.EncodeToString([]byte("them:"+secret+"xy")),
		"in a pointer":       &struct{ S string }{secret},
		"only JSON shows it": onlyJSON{secret},
	} {
		if found := planted.Find(Printed(leak)); len(found) == 0 {
			t.Errorf("%s: not found in %s", name, Printed(leak))
		}
	}
	for name, clean := range map[string]any{
		"nothing": nil, "a piece of it": secret[:8], "another": strings.ToUpper(secret), "a type that hides it": hiding{errors.New(secret)},
	} {
		text := Printed(clean)
		if h, ok := clean.(hiding); ok { // its cause is found, it is not
			text = h.Error()
		}
		if found := planted.Find(text); len(found) > 0 {
			t.Errorf("%s: found %v in %s", name, found, text)
		}
	}
}

// hiding is an error that shows nothing, but its cause does.
type hiding struct{ cause error }

func (h hiding) Error() string                { return "no" }
func (h hiding) Unwrap() error                { return h.cause }
func (h hiding) Format(s fmt.State, _ rune)   { fmt.Fprint(s, "no") }
func (h hiding) MarshalJSON() ([]byte, error) { return []byte(`"no"`), nil }

// onlyJSON hides from fmt.
type onlyJSON struct{ s string }

func (o onlyJSON) Format(s fmt.State, _ rune)   { fmt.Fprint(s, "no") }
func (o onlyJSON) MarshalText() ([]byte, error) { return []byte(o.s), nil }
