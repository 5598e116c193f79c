package rest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// mountServiceAccount lays out a pod's service account.
func mountServiceAccount(t *testing.T, files map[string]string) (dir string, env func(string) string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range files {
		writeFile(t, filepath.Join(dir, name), content)
	}
	return dir, func(name string) string {
		return map[string]string{"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "6443"}[name]
	}
}

func TestInClusterConfig(t *testing.T) {
	p := newTestPEM(t)
	dir, env := mountServiceAccount(t, map[string]string{"token": "first\n", "ca.crt": p.cert, "namespace": "shop\n"})
	clock := newTestClock()
	config, err := InClusterConfig(InClusterOptions{Dir: dir, Env: env, Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(summary(t, config, p), dir, "DIR")
	if want := "https://10.0.0.1:6443 ns=shop cafile=DIR/ca.crt token=first rotating"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	// Rotated: noticed after a minute, or after the server's 401.
	writeFile(t, filepath.Join(dir, "token"), "second")
	config.TokenRejected("first")
	if token, err := config.Token(t.Context()); token != "second" || err != nil {
		t.Errorf("after a 401: %q, %v", token, err)
	}
	writeFile(t, filepath.Join(dir, "token"), "third")
	clock.advance(time.Minute)
	if token, err := config.Token(t.Context()); token != "third" || err != nil {
		t.Errorf("after a minute: %q, %v", token, err)
	}
}

func TestInClusterConfigFailsClosed(t *testing.T) {
	p := newTestPEM(t)
	good := map[string]string{"token": "t", "ca.crt": p.cert, "namespace": "shop"}
	for _, row := range []struct {
		name, file, content, refuse string
		notInCluster                bool
	}{
		{"no CA", "ca.crt", "", `ca.crt" cannot be read: no such file`, false},
		{"a CA that is no certificate", "ca.crt", "x", `ca.crt" holds no PEM certificate`, false},
		{"a CA larger than any bundle", "ca.crt", strings.Repeat("x", maxCertificateBytes+1), "larger than 1048576 bytes", false},
		{"no token", "token", "", `token" is no file`, true},
		{"a token of two lines", "token", "a\nb", "more than one line", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir, env := mountServiceAccount(t, merged(good, map[string]string{row.file: row.content}))
			if row.content == "" {
				if err := os.Remove(filepath.Join(dir, row.file)); err != nil {
					t.Fatal(err)
				}
			}
			config, err := InClusterConfig(InClusterOptions{Dir: dir, Env: env})
			if err == nil || !strings.Contains(err.Error(), row.refuse) || errors.Is(err, ErrNotInCluster) != row.notInCluster {
				t.Errorf("got %v, %v; want %s", config.Server, err, row.refuse)
			}
		})
	}
}

func TestInClusterConfigOutsideOfAPod(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	_, err := InClusterConfig(InClusterOptions{})
	if !errors.Is(err, ErrNotInCluster) {
		t.Errorf("got %v, want ErrNotInCluster", err)
	}
	var ce *ConfigError
	if !errors.As(err, &ce) {
		t.Errorf("got %T, want *ConfigError", err)
	}
}

func TestPodNamespace(t *testing.T) {
	for _, row := range []struct{ name, file, want string }{
		{"as mounted", "shop\n", "shop"},
		{"empty", "", "default"},
		{"no name in a path", "../kube-system", "default"},
		{"too long", strings.Repeat("n", 2000), "default"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir, env := mountServiceAccount(t, map[string]string{"namespace": row.file})
			if got := podNamespace(env, dir); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
