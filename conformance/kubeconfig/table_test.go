package kubeconfig

import (
	"testing"

	"github.com/rawwatch/rawwatch/internal/kubeconfigs"
)

// clientcmd makes of every row of the table what the table says: the same, or the difference that stands there with its reason. rest's own test holds
// LoadConfig to the same rows.
func TestClientcmdAgreesWithTheTable(t *testing.T) {
	material := kubeconfigs.NewMaterial(t)
	same, different, both, valid := 0, 0, 0, 0
	for _, c := range kubeconfigs.Load(t) {
		if c.Clientcmd == "not asked" {
			continue
		}
		if c.Want != "" {
			valid++
		}
		switch {
		case c.Clientcmd != "":
			different++
		case c.Want != "":
			same++
		default:
			both++
		}
		t.Run(c.Name, func(t *testing.T) {
			p := c.Place(t, material)
			environment(t, p.Env)
			facts, err := clientcmdFacts(p.Options)
			compare(t, c, facts.Line(p.Files), err)
		})
	}
	t.Logf("%d valid kubeconfigs, %d of them read as clientcmd reads them; %d refused by both; %d named differences", valid, same, both, different)
}

func compare(t *testing.T, c kubeconfigs.Case, got string, err error) {
	t.Helper()
	switch want := c.Clientcmd; {
	case want == "refuses" || want == "" && c.Refused != "":
		if err == nil {
			t.Errorf("clientcmd accepts: %s", got)
		}
	case err != nil:
		t.Errorf("clientcmd refuses: %v", err)
	case want == "accepts":
	case want == "" && got != c.Want:
		t.Errorf("\nclientcmd  %s\nLoadConfig %s", got, c.Want)
	case want != "" && got != want:
		t.Errorf("\nclientcmd %s\nthe table  %s", got, want)
	case want == c.Want:
		t.Error("this difference is gone, strike it from the table")
	}
}

// environment hides that of whoever runs the tests.
func environment(t *testing.T, env map[string]string) {
	for _, name := range []string{
		"KUBECONFIG", "HOME", "POD_NAMESPACE", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	} {
		t.Setenv(name, env[name])
	}
}
