package rest

import (
	"strings"
	"testing"
)

func TestLoadOptionsNeverPrintSecrets(t *testing.T) {
	o := LoadOptions{
		Context: "shown-context", Token: "planted1", Username: "shown-user", Password: "planted2",
		Server: "https://planted3:planted4@shown-server", ProxyURL: "http://planted5:planted6@shown-proxy",
	}
	printed := printEveryWay(t, o) + printEveryWay(t, &o) + printEveryWay(t, []LoadOptions{o}) + printEveryWay(t, struct{ O LoadOptions }{o})
	if strings.Contains(printed, "planted") {
		t.Errorf("printed: %s", printed)
	}
	for _, shown := range []string{"shown-context", "shown-user", "shown-server", "shown-proxy", "(masked)"} {
		if !strings.Contains(printed, shown) {
			t.Errorf("%s is missing in: %s", shown, printed)
		}
	}
	if bad := printEveryWay(t, LoadOptions{ProxyURL: "http://planted:%zz", Server: "planted:x"}); strings.Contains(bad, "planted") {
		t.Errorf("printed: %s", bad)
	}
}

func TestConfigErrorsShowNoPath(t *testing.T) {
	// A path comes from the file: its control characters must not reach a terminal.
	c := one("", kube(serverLine, `tokenFile: "a\e[31m\nb"`), "")
	c.refuse = `a\x1b[31m\nb": cannot be read: no such file or directory`
	c.run(t, testPEM{})
}
