package cluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	apiServerPackage = "k8s.io/kubernetes/cmd/kube-apiserver"
	etcdPackage      = "go.etcd.io/etcd/server/v3"
	kubernetesModule = "k8s.io/kubernetes"
)

// Binaries are the paths of the servers that Start runs.
type Binaries struct {
	APIServer string
	Etcd      string
	Version   string // of Kubernetes, "v1.37.1": what go.mod requires
}

// Build makes kube-apiserver and etcd with plain "go build" at the versions of
// this module's go.mod, and says on log what it does and how long it took.
// What was built before is used again: the results live in $RAWWATCH_CACHE, or
// in rawwatch-conformance under os.UserCacheDir, in a folder named after
// everything that shapes them. Processes that build at once wait for each other.
func Build(ctx context.Context, log io.Writer) (Binaries, error) {
	version, key, err := buildKey(ctx)
	if err != nil {
		return Binaries{}, err
	}
	dir, err := cacheDir()
	if err != nil {
		return Binaries{}, err
	}
	root := dir
	dir = filepath.Join(dir, key)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Binaries{}, err
	}
	unlock, err := lockFile(filepath.Join(dir, "lock"))
	if err != nil {
		return Binaries{}, err
	}
	defer unlock()

	b := Binaries{
		APIServer: filepath.Join(dir, "kube-apiserver"),
		Etcd:      filepath.Join(dir, "etcd"),
		Version:   version,
	}
	if err := goBuild(ctx, log, b.Etcd, etcdPackage, "-s -w"); err != nil {
		return Binaries{}, err
	}
	if err := goBuild(ctx, log, b.APIServer, apiServerPackage, "-s -w "+versionFlags(version)); err != nil {
		return Binaries{}, err
	}
	return b, keepRecent(root, 3)
}

// versionFlags make the server answer /version as a released one does: the
// module proxy's sources carry no version of their own.
func versionFlags(version string) string {
	const pkg = "k8s.io/component-base/version"
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	return fmt.Sprintf("-X %[1]s.gitVersion=%[2]s -X %[1]s.gitMajor=%[3]s -X %[1]s.gitMinor=%[4]s", pkg, version, major, minor)
}

// goBuild is skipped when out is there: its folder's name is the key of all
// that went into it. The output appears under its name only when complete.
func goBuild(ctx context.Context, log io.Writer, out, pkg, ldflags string) error {
	if _, err := os.Stat(out); err == nil {
		return nil
	}
	fmt.Fprintf(log, "conformance: building %s (minutes the first time)\n", pkg)
	start := time.Now()
	tmp := out + ".tmp"
	// The tests of this module share the build cache with the servers: no
	// -trimpath, no -gcflags, else everything is compiled twice.
	cmd := exec.CommandContext(ctx, "go", "build", "-o", tmp, "-ldflags", ldflags, pkg)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build %s: %w", pkg, err)
	}
	if err := os.Rename(tmp, out); err != nil {
		return err
	}
	fmt.Fprintf(log, "conformance: built %s in %.1fs\n", filepath.Base(out), time.Since(start).Seconds())
	return nil
}

// buildKey names the Kubernetes version and digests the requirements of go.mod:
// the same key, the same binaries.
func buildKey(ctx context.Context) (version, key string, err error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Version}}", kubernetesModule).Output()
	if err != nil {
		return "", "", fmt.Errorf("go list -m %s: %w", kubernetesModule, explainExit(err))
	}
	version = strings.TrimSpace(string(out))
	out, err = exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", "", fmt.Errorf("go env GOMOD: %w", explainExit(err))
	}
	mod, err := os.ReadFile(strings.TrimSpace(string(out)))
	if err != nil {
		return "", "", err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	lines := strings.Split(strings.ReplaceAll(string(mod), " // indirect", ""), "\n")
	slices.Sort(lines) // which block a requirement stands in changes nothing
	fmt.Fprintln(sum, lines)
	return version, fmt.Sprintf("%s-%x", version, sum.Sum(nil)[:6]), nil
}

// keepRecent removes all but the newest folders that builds left in dir: each
// holds 180 MB. A server that runs from one of them is not disturbed.
func keepRecent(dir string, keep int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	type build struct {
		path string
		made time.Time
	}
	var builds []build
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(filepath.Join(path, "kube-apiserver")); err == nil {
			builds = append(builds, build{path, info.ModTime()})
		}
	}
	slices.SortFunc(builds, func(a, b build) int { return b.made.Compare(a.made) })
	for _, b := range builds[min(keep, len(builds)):] {
		if err := os.RemoveAll(b.path); err != nil {
			return err
		}
	}
	return nil
}

func explainExit(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return err
}

func cacheDir() (string, error) {
	if dir := os.Getenv("RAWWATCH_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder to keep the built servers in, set RAWWATCH_CACHE: %w", err)
	}
	return filepath.Join(dir, "rawwatch-conformance"), nil
}

// BuildRawwatch builds ../cmd/rawwatch as its users do, in its own module, into
// dir and returns the path.
func BuildRawwatch(ctx context.Context, dir string) (string, error) {
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", explainExit(err))
	}
	out := filepath.Join(dir, "rawwatch")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", out, "./cmd/rawwatch")
	cmd.Dir = filepath.Join(filepath.Dir(strings.TrimSpace(string(mod))), "..")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/rawwatch: %w\n%s", err, text)
	}
	return out, nil
}
