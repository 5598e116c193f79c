package secrets

import (
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// maxSessions bounds how many sessions' secrets are looked for: each costs a search of everything.
const maxSessions = 4

// keyLog is where the secrets of TLS sessions go on purpose: the one place.
type keyLog struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (k *keyLog) Write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.Write(b)
}

func (k *keyLog) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.String()
}

// sessionSecrets reads a key log (RFC 9850 2): label, client random, which everybody on the way sees, and secret.
func sessionSecrets(t *testing.T, log string) Planted {
	t.Helper()
	found, sessions := Planted{}, map[string]bool{}
	for line := range strings.Lines(log) {
		words := strings.Fields(line)
		if len(words) != 3 {
			t.Fatalf("a line of %d words in the key log", len(words))
		}
		if sessions[words[1]] = true; len(sessions) > maxSessions {
			break
		}
		secret, err := hex.DecodeString(words[2])
		if err != nil || len(secret) < 32 {
			t.Fatalf("%d bytes, %v in the key log", len(secret), err)
		}
		found[fmt.Sprintf("%s of session %d", words[0], len(sessions))] = string(secret)
	}
	return found
}

// checkKeyLog: what is logged for whoever may read the wire is in the key log and nowhere else, and nothing but that is in it.
func checkKeyLog(t *testing.T, log, printed string, planted Planted) {
	t.Helper()
	if found := planted.Find(log); len(found) > 0 {
		t.Errorf("the key log holds %s", strings.Join(found, ", "))
	}
	if found := sessionSecrets(t, log).Find(printed); len(found) > 0 {
		t.Errorf("outside of the key log there are %s", strings.Join(found, ", "))
	}
}

func TestSessionSecretsAreReadFromAKeyLog(t *testing.T) {
	random, secret := strings.Repeat("0a", 32), strings.Repeat("c5", 48)
	found := sessionSecrets(t, "CLIENT_TRAFFIC_SECRET_0 "+random+" "+secret+"\n")
	if len(found) != 1 || len(found.Find("it is "+secret)) == 0 || len(found.Find(strings.ToUpper(secret))) == 0 || len(found.Find(random)) != 0 {
		t.Errorf("%q", found)
	}
}
