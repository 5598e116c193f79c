package server

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/conformance/cluster"
)

// A service account's token is rotated as the kubelet does it, by a swap of
// symbolic links, and the old one is revoked, while two watches run on it: the
// command with the file in its kubeconfig, and the library in-cluster. Nothing
// is lost, nothing is said twice, and from then on requests carry the new one.
func TestRotatedTokenChangesNothing(t *testing.T) {
	t.Parallel()
	c := cluster.Run(t, cluster.Options{})
	ctx := cluster.Deadline(t, 3*time.Minute)
	w := witness(t, c)
	account := newAccount(t, w)
	volume := newVolume(t, c)
	old := account.token(t, "first")
	volume.write(t, "first", old)

	pods := newMaker(t, c)
	for range 3 {
		pods.create(ctx)
	}
	config := kubeconfig(t, c.URL(), filepath.Join(volume.dir, "ca.crt"), fmt.Sprintf(`{"tokenFile":%q}`, filepath.Join(volume.dir, "token")))
	watch := runRawwatch(t, config, "watch", "pods", "-A", "-o", "json", "--timeout-seconds", "3")
	library := followInCluster(t, c, volume.dir)
	watch.waitFor("the initial pods", func(all []event) bool { return len(changesIn(all)) >= 3 })
	library.waitFor("the initial pods", 3)
	for range 20 {
		pods.step(ctx)
	}

	// Rotation: the new token is there, the old one is worth nothing any more.
	// The server remembers for ten seconds that it was good.
	fresh := account.token(t, "second")
	volume.write(t, "second", fresh)
	account.revoke(t, "first")
	rejected := c.Client(old)
	defer rejected.Close()
	for code := 0; code != 401; {
		response, err := rejected.Do(ctx, "GET", "/api/v1/pods", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if code = response.Code; code != 401 {
			pods.step(ctx)
			time.Sleep(200 * time.Millisecond)
		}
	}
	for start := time.Now(); time.Since(start) < 8*time.Second; time.Sleep(20 * time.Millisecond) {
		pods.step(ctx)
	}
	watch.waitForChange(pods.last())
	library.waitForChange(pods.last())
	watch.interrupt()
	library.stop()

	truth := pods.truth(ctx)
	compareHistory(t, truth[:3], truth[3:], watch.printed())
	compareHistory(t, truth[:3], truth[3:], library.events())
	account.checkCredentials(t, c, old, fresh)
}

// account is a service account that may read pods.
type account struct{ witness *cluster.Client }

func newAccount(t *testing.T, w *cluster.Client) account {
	must(t, w, "POST", "/api/v1/namespaces/default/serviceaccounts", `{"kind":"ServiceAccount","apiVersion":"v1","metadata":{"name":"watcher"}}`)
	must(t, w, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
		`{"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"watcher"},"rules":[{"verbs":["get","list","watch"],"apiGroups":[""],"resources":["pods"]}]}`)
	must(t, w, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
		`{"kind":"ClusterRoleBinding","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"watcher"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"watcher"},
"subjects":[{"kind":"ServiceAccount","name":"watcher","namespace":"default"}]}`)
	return account{w}
}

// token asks for a token that lives as long as the Secret it is bound to.
func (a account) token(t *testing.T, secret string) string {
	must(t, a.witness, "POST", "/api/v1/namespaces/default/secrets", fmt.Sprintf(`{"kind":"Secret","apiVersion":"v1","metadata":{"name":%q}}`, secret))
	answer := must(t, a.witness, "POST", "/api/v1/namespaces/default/serviceaccounts/watcher/token", fmt.Sprintf(
		`{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":%q}}}`, secret))
	var request struct{ Status struct{ Token string } }
	if err := json.Unmarshal(answer, &request); err != nil || request.Status.Token == "" {
		t.Fatalf("no token: %v", err)
	}
	return request.Status.Token
}

func (a account) revoke(t *testing.T, secret string) {
	must(t, a.witness, "DELETE", "/api/v1/namespaces/default/secrets/"+secret, "")
}

// checkCredentials reads in the audit log which token each request carried.
func (a account) checkCredentials(t *testing.T, c *cluster.Cluster, old, fresh string) {
	t.Helper()
	requests, err := c.Requests()
	if err != nil {
		t.Fatal(err)
	}
	oldID, freshID := "JTI="+claimID(t, old), "JTI="+claimID(t, fresh)
	for _, agent := range []string{"rawwatch", libraryAgent} {
		var before, refused, after int
		for _, r := range requests {
			// A failed authentication has no later stage than its answer's start.
			if agentOf(r) != agent || r.Stage != "ResponseComplete" && r.Code != 401 {
				continue
			}
			switch {
			case r.Credential == oldID:
				before++
				if refused > 0 || after > 0 {
					t.Errorf("%s: the old token was accepted after it had been refused: %+v", agent, r)
				}
			case r.Code == 401:
				refused++
			case r.Credential == freshID:
				after++
			default:
				t.Errorf("%s: whose request is this? %+v", agent, r)
			}
		}
		t.Logf("%s: %d requests with the old token, %d refused, %d with the new one", agent, before, refused, after)
		if before == 0 || after == 0 {
			t.Errorf("%s: %d requests with the old token, %d with the new one, want both", agent, before, after)
		}
		if refused != 1 {
			t.Errorf("%s: %d requests were refused, want one: the first after the revocation", agent, refused)
		}
	}
}

func agentOf(r cluster.Request) string {
	agent, _, _ := strings.Cut(r.UserAgent, "/")
	agent, _, _ = strings.Cut(agent, " ")
	return agent
}

// claimID is the jti of a JSON web token, which the audit log shows.
func claimID(t *testing.T, token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatal("no JSON web token")
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	var claims struct{ JTI string }
	if err := json.Unmarshal(payload, &claims); err != nil || claims.JTI == "" {
		t.Fatalf("no jti: %v", err)
	}
	return claims.JTI
}

// volume is a projected volume: token, ca.crt and namespace are links through
// ..data, which is replaced at once.
type volume struct {
	dir string
	ca  []byte
}

func newVolume(t *testing.T, c *cluster.Cluster) volume {
	return volume{dir: t.TempDir(), ca: c.CA()}
}

func (v volume) write(t *testing.T, generation, token string) {
	t.Helper()
	data := "..generation_" + generation
	if err := os.Mkdir(filepath.Join(v.dir, data), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"token": token, "ca.crt": string(v.ca), "namespace": "default"} {
		if err := os.WriteFile(filepath.Join(v.dir, data, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(v.dir, name)); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	next := filepath.Join(v.dir, "..data_tmp")
	if err := os.Symlink(data, next); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, filepath.Join(v.dir, "..data")); err != nil {
		t.Fatal(err)
	}
}
