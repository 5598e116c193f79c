package rest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/internal/kubeconfigs"
	"github.com/rawwatch/rawwatch/rest"
)

// Every row of the table of kubeconfigs gives the configuration, or the refusal, that stands in it. That the rows are right is for
// conformance/kubeconfig to say, which asks client-go.
func TestKubeconfigsOfTheTable(t *testing.T) {
	material, table := kubeconfigs.NewMaterial(t), kubeconfigs.Load(t)
	if len(table) < 200 {
		t.Errorf("%d rows, want all of them", len(table))
	}
	for _, c := range table {
		t.Run(c.Name, func(t *testing.T) {
			p := c.Place(t, material)
			got, err := load(p)
			if c.Refused != "" {
				checkTableRefusal(t, c, got, err)
				return
			}
			if err != nil {
				t.Fatalf("refused: %v", err)
			}
			if got != c.Want {
				t.Errorf("got  %s\nwant %s", got, c.Want)
			}
		})
	}
}

// load is LoadConfig and the first thing a program does with it.
func load(p kubeconfigs.Placed) (string, error) {
	config, err := rest.LoadConfig(p.Options)
	if err != nil {
		return "", err
	}
	client, err := rest.NewClient(config)
	if err != nil {
		return "", err
	}
	client.Close()
	facts, err := p.Of(config)
	return facts.Line(p.Files), err
}

func checkTableRefusal(t *testing.T, c kubeconfigs.Case, got string, err error) {
	t.Helper()
	if err == nil {
		t.Fatalf("got %s, want a refusal", got)
	}
	text := err.Error()
	if !strings.Contains(text, c.Refused) {
		t.Errorf("got  %s\nwant %s", text, c.Refused)
	}
	if _, ok := errors.AsType[*rest.ConfigError](err); !ok {
		if e, ok := errors.AsType[*rest.Error](err); !ok || e.Phase != rest.PhaseConfig {
			t.Errorf("%T, want a ConfigError or an Error of PhaseConfig", err)
		}
	}
	if strings.Contains(text, "planted") || strings.ContainsAny(text, "\n\r\x1b") || len(text) > 2000 {
		t.Errorf("the message leaks, breaks or floods: %q", text)
	}
}
