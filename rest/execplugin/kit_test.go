package execplugin

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// actVariable makes this test program a plugin.
const actVariable = "RAWWATCH_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if act := os.Getenv(actVariable); act != "" {
		os.Exit(play(act, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// play is the plugin. What it prints comes from its arguments.
func play(act string, args []string) int {
	switch act {
	case "print": // an answer, and a mark that it ran
		if len(args) > 1 {
			f, err := os.OpenFile(args[1], os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
			if err != nil {
				return 9
			}
			fmt.Fprintln(f, "ran")
			f.Close()
		}
		io.WriteString(os.Stdout, args[0])
	case "file": // an answer that changes between runs
		data, err := os.ReadFile(args[0])
		if err != nil {
			return 9
		}
		os.Stdout.Write(data)
	case "info":
		info := os.Getenv(infoVariable)
		io.WriteString(os.Stdout, answer(V1, map[string]any{"token": fmt.Sprintf("%x", info)}))
	case "environment":
		io.WriteString(os.Stdout, answer(V1, map[string]any{"token": fmt.Sprintf("%x", strings.Join(os.Environ(), "\n"))}))
	case "stdin":
		data, err := io.ReadAll(os.Stdin)
		io.WriteString(os.Stdout, answer(V1, map[string]any{"token": fmt.Sprintf("%x", fmt.Sprint(string(data), err))}))
	case "fail": // says what is in a file
		io.WriteString(os.Stdout, "planted-output")
		data, _ := os.ReadFile(args[0])
		os.Stderr.Write(data)
		return 7
	case "flood":
		for {
			if _, err := os.Stdout.WriteString(strings.Repeat("x", 1<<16)); err != nil {
				return 1
			}
		}
	case "hang":
		time.Sleep(time.Hour)
	case "orphan": // leaves a child that holds the output open
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), actVariable+"=hang")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if len(args) > 0 {
			f, err := os.Create(args[0])
			if err != nil || lock(f) != nil {
				return 9
			}
			child.ExtraFiles = []*os.File{f}
		}
		if err := child.Start(); err != nil {
			return 9
		}
		time.Sleep(time.Hour)
	}
	return 0
}

// answer is an ExecCredential.
func answer(version string, status map[string]any) string {
	data, err := json.Marshal(map[string]any{"kind": "ExecCredential", "apiVersion": version, "status": status})
	if err != nil {
		panic(err)
	}
	return string(data)
}

// acting is the entry of a plugin that does this.
func acting(t testing.TB, act string, args ...string) Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{APIVersion: V1, InteractiveMode: Never, Command: self, Args: args, Env: []EnvVar{{actVariable, act}}}
}

func newPlugin(t testing.TB, o Options, c Config) *Plugin {
	t.Helper()
	p, err := New(o).NewPlugin(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func asError(t testing.TB, err error) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Errorf("want an *Error, got %T: %v", err, err)
		return new(Error)
	}
	return e
}

// clock is a time that tests set.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// newPair is a certificate and its key in PEM.
func newPair(t testing.TB) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, k.Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	cert = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	key = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
	if _, err := tls.X509KeyPair([]byte(cert), []byte(key)); err != nil {
		t.Fatal(err)
	}
	return cert, key
}
