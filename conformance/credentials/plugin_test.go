package credentials

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

// pluginVariable makes the test's own binary the credential plugin; its value is the folder of the test.
const pluginVariable = "RAWWATCH_CONFORMANCE_PLUGIN"

// beThePlugin prints a credential that is good for two seconds, another one each time: the folder's next one of certificates, or one of four tokens.
func beThePlugin() int {
	dir := os.Getenv(pluginVariable)
	var info struct {
		Kind, APIVersion string
		Spec             struct {
			Interactive *bool
			Cluster     *struct{ Server string }
		}
	}
	if err := json.Unmarshal([]byte(os.Getenv("KUBERNETES_EXEC_INFO")), &info); err != nil || info.Kind != "ExecCredential" || info.Spec.Interactive == nil {
		fmt.Fprintln(os.Stderr, "KUBERNETES_EXEC_INFO is none")
		return 3
	}
	if want := os.Getenv("WANT_SERVER"); want != "" && (info.Spec.Cluster == nil || info.Spec.Cluster.Server != want) {
		fmt.Fprintln(os.Stderr, "the cluster was not told")
		return 3
	}
	n := 1
	if text, err := os.ReadFile(filepath.Join(dir, "runs")); err == nil {
		n, _ = strconv.Atoi(string(text))
		n++
	}
	if err := os.WriteFile(filepath.Join(dir, "runs"), []byte(strconv.Itoa(n)), 0o600); err != nil {
		return 3
	}
	status := map[string]any{"expirationTimestamp": time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339Nano)}
	which := (n-1)%4 + 1
	if certificate, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("plugin-%d.crt", which))); err == nil {
		key, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("plugin-%d.key", which)))
		if err != nil {
			return 3
		}
		status["clientCertificateData"], status["clientKeyData"] = string(certificate), string(key)
	} else {
		status["token"] = fmt.Sprintf("planted-plugin-%d", which)
	}
	out, err := json.Marshal(map[string]any{"kind": "ExecCredential", "apiVersion": info.APIVersion, "status": status})
	if err != nil {
		return 3
	}
	os.Stdout.Write(out)
	return 0
}

func (s *scene) plugin(version string) map[string]any {
	s.t.Helper()
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	return map[string]any{"exec": map[string]any{
		"apiVersion": "client.authentication.k8s.io/" + version, "command": self, "interactiveMode": "Never", "provideClusterInfo": true,
		"env": []any{
			map[string]any{"name": pluginVariable, "value": s.dir},
			map[string]any{"name": "WANT_SERVER", "value": s.cluster.URL()},
		},
	}}
}

func (s *scene) runs() int {
	text, _ := os.ReadFile(filepath.Join(s.dir, "runs"))
	n, _ := strconv.Atoi(string(text))
	return n
}

// A plugin's tokens expire every two seconds, and each is another user's: the watch goes on, and no request carries an expired one.
func TestPluginTokensExpireDuringAWatch(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"v1", "v1beta1"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := sharedScene(t, "plugin-"+version)
			f := s.follow(s.config(nil, s.plugin(version)))
			started := time.Now()
			s.changeUntil("the tokens of four runs", func() bool {
				users, _ := s.users()
				return len(users) >= 4
			})
			f.finish(s)
			users, refused := s.users()
			if !slices.Equal(users[:4], []string{"plugin-1", "plugin-2", "plugin-3", "plugin-4"}) || refused > 0 {
				t.Errorf("the requests were of %v, %d refused", users, refused)
			}
			// One run for each two seconds: a credential is used until it expires, and not asked for each request.
			if most := int(time.Since(started)/(1500*time.Millisecond)) + 2; s.runs() > most {
				t.Errorf("%d runs, want at most %d", s.runs(), most)
			}
			t.Logf("%d runs in %v", s.runs(), time.Since(started).Round(time.Second))
		})
	}
}

// A plugin's client certificates: each new one is the next connection's, and ends the watch of the last within two intervals.
func TestPluginCertificatesExpireDuringAWatch(t *testing.T) {
	t.Parallel()
	s := sharedScene(t, "plugin-certificates")
	for i := 1; i <= 4; i++ {
		pair, err := s.cluster.ClientCertificate(fmt.Sprintf("plugin-%d", i), admins...)
		if err != nil {
			t.Fatal(err)
		}
		s.file(fmt.Sprintf("plugin-%d.crt", i), pair.Cert)
		s.file(fmt.Sprintf("plugin-%d.key", i), pair.Key)
	}
	config := s.config(nil, s.plugin("v1"))
	config.ReloadInterval = time.Second
	f := s.follow(config)
	s.changeUntil("the certificates of three runs", func() bool {
		users, _ := s.users()
		return len(users) >= 3
	})
	f.finish(s)
	if users, refused := s.users(); !slices.Equal(users[:3], []string{"plugin-1", "plugin-2", "plugin-3"}) || refused > 0 {
		t.Errorf("the requests were of %v, %d refused", users, refused)
	}
}

// A plugin that fails says so, with its last words and without what it was told.
func TestPluginFailureIsExplained(t *testing.T) {
	t.Parallel()
	s := sharedScene(t, "plugin-failure")
	user := s.plugin("v1")
	exec := user["exec"].(map[string]any)
	exec["env"] = append(exec["env"].([]any), map[string]any{"name": "WANT_SERVER", "value": "planted"})
	client, err := rest.NewClient(s.config(nil, user))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Do(s.ctx, rest.Request{Path: "/version"})
	text := fmt.Sprint(err)
	if !strings.Contains(text, "the cluster was not told") || !strings.Contains(text, "exit status 3") || strings.Contains(text, "planted") {
		t.Errorf("%v", err)
	}
	t.Log(err)
}
