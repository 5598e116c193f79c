package rest

import (
	"context"
	"crypto/fips140"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Everything that needs cryptography works where only approved algorithms do: handshakes on both sides, rotation, proxies, certificates and configurations.
// The tests are those that stand in no bubble, where the module's random source cannot be seeded.
func TestItWorksWithApprovedAlgorithmsOnly(t *testing.T) {
	const again = "^(TestHTTPSAgainstNetHTTP|TestRotatedFilesAreUsedByTheNextConnection|TestAnHTTPSServerIsReachedThroughATunnel|" +
		"TestAServerIsReachedThroughASOCKSProxy|TestKeysAreLoggedWhereTheCallerAsks|TestAnHTTPSProxyIsVerifiedByItself|" +
		"TestTLSConfigurationsThatCannotBeMeantAreRefused|TestLoadConfig.*|TestInCluster.*|TestAnUntrusted.*|TestTheModeIsTheOneAskedFor)$"
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "-test.run", again, "-test.timeout", "100s")
	cmd.Env = append(os.Environ(), "GODEBUG=fips140=only", fipsVariable+"=only")
	if output, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(output), "PASS") {
		t.Errorf("%v\n%s", err, output)
	}
}

const fipsVariable = "RAWWATCH_TEST_FIPS"

// In the run above this shows that the others ran in that mode; alone there is nothing to show.
func TestTheModeIsTheOneAskedFor(t *testing.T) {
	if asked := os.Getenv(fipsVariable) == "only"; asked && (!fips140.Enabled() || !fips140.Enforced()) {
		t.Error("not in FIPS 140-3 mode")
	}
}
