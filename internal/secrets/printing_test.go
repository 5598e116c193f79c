package secrets

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// output is all that has been printed, by what printed it.
type output struct {
	keys keyLog
	mu   sync.Mutex
	seen map[string]*strings.Builder
}

func (o *output) print(what string, v any) { o.text(what, Printed(v)) }

func (o *output) text(what, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen == nil {
		o.seen = map[string]*strings.Builder{}
	}
	if o.seen[what] == nil {
		o.seen[what] = &strings.Builder{}
	}
	o.seen[what].WriteString(text + "\n")
}

func (o *output) failure(what string, err error) {
	if err == nil {
		return
	}
	o.print(what, err)
	o.print(what+", explained", rest.Explain(err))
}

func (o *output) search(t *testing.T, planted Planted) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(o.seen)) {
		if found := planted.Find(o.seen[what].String()); len(found) > 0 {
			t.Errorf("%s shows %s:\n%.2000s", what, strings.Join(found, ", "), o.seen[what].String())
		}
	}
}

// all is everything that was printed.
func (o *output) all() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var b strings.Builder
	for _, seen := range o.seen {
		b.WriteString(seen.String())
	}
	return b.String()
}

func (o *output) trace() *rest.Trace {
	return &rest.Trace{
		DialStart: func(i rest.DialStart) { o.print("trace", i) }, DialDone: func(i rest.DialDone) { o.print("trace", i) },
		TLS: func(i rest.TLSDone) { i.Peer = nil; o.print("trace", i) }, Connect: func(i rest.ConnectDone) { o.print("trace", i) },
		Request: func(i rest.RequestSent) { o.print("trace", i) }, Head: func(i rest.HeadReceived) { o.print("trace", i) },
		Chunk: func(i rest.ChunkReceived) { o.print("trace", i) }, BodyEnd: func(i rest.BodyEnd) { o.print("trace", i) },
		CloseConn: func(i rest.ConnClosed) { o.print("trace", i) },
	}
}

func (o *output) logger() *slog.Logger {
	return slog.New(slog.NewMultiHandler(
		slog.NewTextHandler(logWriter{o}, &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true}),
		slog.NewJSONHandler(logWriter{o}, &slog.HandlerOptions{Level: slog.LevelDebug - 8})))
}

type logWriter struct{ o *output }

func (w logWriter) Write(b []byte) (int, error) {
	w.o.text("log", string(b))
	return len(b), nil
}

// Nothing that the library prints shows a secret: over every way to authenticate and to connect, and every way to fail of a server that repeats what it
// was told.
func TestNothingPrintsASecret(t *testing.T) {
	keys := newKeyPair(t)
	planted := plantedSecrets(keys)
	for i, m := range methods(t, newServer(t), keys, t.TempDir()) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s, dir := newServer(t), t.TempDir()
			m := methods(t, s, keys, dir)[i] // with a server of its own, whose mode it may set
			s.checkMode(t, m, dir, "ok", planted)
			if m.refused {
				return
			}
			for mode := range answers {
				// What depends on the transport shows in a few of them.
				if whole[m.name] || mode == "unauthorized" || mode == "cut" || mode == "no HTTP" {
					s.checkMode(t, m, dir, mode, planted)
				}
			}
		})
	}
}

// whole are the methods that meet every answer.
var whole = map[string]bool{"token": true, "password": true, "certificate inline": true, "plugin with a token": true}

func (s *server) checkMode(t *testing.T, m method, dir, mode string, planted Planted) {
	t.Helper()
	s.set(mode)
	var o output
	err := o.use(t, m, dir)
	o.search(t, planted)
	checkKeyLog(t, o.keys.String(), o.all(), planted)
	switch {
	case m.refused && err == nil:
		t.Error("accepted")
	case m.refused || mode != "ok":
	case err != nil || !s.wasTold(m.sent):
		t.Errorf("%v; the server was not told %s, so this shows nothing", err, m.sent)
	case (o.keys.String() != "") != strings.HasPrefix(fmt.Sprint(m.cluster["server"]), "https:"):
		t.Errorf("a key log of %d bytes, so this shows nothing", len(o.keys.String()))
	}
	if t.Failed() {
		t.Fatalf("in mode %s", mode)
	}
}

// use does everything that a program can do with a method's configuration.
func (o *output) use(t *testing.T, m method, dir string) error {
	t.Helper()
	options, config, err := m.load(t, dir)
	o.print("LoadOptions", options)
	o.failure("LoadConfig", err)
	if err != nil {
		return err
	}
	o.print("Config", config)
	if config.Credentials != nil {
		o.print("Credentials", config.Credentials)
	}
	config.Trace, config.KeyLog = o.trace(), &o.keys
	client, err := rest.NewClient(config)
	o.failure("NewClient", err)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err = o.request(ctx, client)
	o.follow(ctx, client)
	o.inform(ctx, client)
	o.print("Client", client)
	o.print("Stats", client.Stats())
	return err
}

func (o *output) request(ctx context.Context, client *rest.Client) error {
	r := rest.Request{Path: rest.Secrets.Path("default", "")}
	o.print("Request", r)
	response, err := client.Do(ctx, r)
	o.failure("Do", err)
	if err != nil {
		return err
	}
	o.print("Response", *response)
	o.print("Body", response.Body)
	_, err = io.Copy(io.Discard, response.Body)
	o.failure("Read", err)
	response.Body.Close()
	o.print("Body", response.Body)
	return nil
}

// follow lists, watches and follows until the first failure, or until there was something to see.
func (o *output) follow(ctx context.Context, client *rest.Client) {
	options := listwatch.Options{
		Resource: rest.Secrets, Namespace: "default", FailUntilSynced: true, Logger: o.logger(), Trace: o.trace(),
		Observe: func(t listwatch.Transition) { o.print("Transition", t) }, Backoff: listwatch.Backoff{Initial: time.Millisecond, Max: time.Millisecond},
	}
	o.print("listwatch.Options", options)
	for e, err := range listwatch.List(ctx, client, options) {
		o.event(e, err)
	}
	watch := options
	watch.List.TimeoutSeconds, watch.List.ResourceVersion = 1, "1"
	for e, err := range listwatch.Watch(ctx, client, watch) {
		o.event(e, err)
		break
	}
	r := listwatch.New(client, options)
	for e, err := range r.Events(ctx) {
		o.event(e, err)
		if e != nil && e.Kind == listwatch.ReplaceEnd {
			break
		}
	}
	o.print("listwatch.Status", r.Status())
	o.print("Reflector", r)
}

func (o *output) event(e *listwatch.Event, err error) {
	if e != nil {
		o.print("listwatch.Event", *e)
		o.print("listwatch.Event", e)
		o.failure("listwatch.Event.Err", e.Err)
	}
	o.failure("listwatch", err)
}

type secret struct {
	Data map[string][]byte `json:"data"`
}

// inform runs an informer that declares the data, until it is in sync or has failed.
func (o *output) inform(ctx context.Context, client *rest.Client) {
	ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	problem := func(p informer.Problem) { o.print("Problem", p) }
	i := informer.New(client, rest.Secrets, watchdecoder.JSON[secret](), informer.Options{
		Namespaces: []string{"default"}, Logger: o.logger(), OnProblem: problem,
		Reflector: listwatch.Options{FailUntilSynced: true, Backoff: listwatch.Backoff{Initial: time.Millisecond, Max: time.Millisecond}},
	})
	i.Subscribe(informer.Handler[*secret]{OnEvent: nil})
	done := make(chan error, 1)
	go func() { done <- i.Run(ctx) }()
	o.failure("WaitSync", i.WaitSync(ctx))
	o.print("informer.Status", i.Status())
	o.print("Informer", i)
	o.failure("Healthy", i.Healthy(time.Nanosecond))
	cancel()
	o.failure("Run", <-done)
}

// A panic prints its value, and with GOTRACEBACK=system every goroutine: a configuration in it shows nothing.
func TestPanicsShowNoSecret(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	planted := Planted{"token": tokenSecret, "password": nameSecret, "proxy's password": proxySecret}
	for _, what := range []string{"options", "config", "client", "request", "error"} {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), panicVariable+"="+what, "GOTRACEBACK=system")
		var text bytes.Buffer
		cmd.Stderr = &text
		if err := cmd.Run(); err == nil {
			t.Fatalf("%s: no panic", what)
		}
		if found := planted.Find(text.String()); len(found) > 0 || !strings.Contains(text.String(), "panic:") {
			t.Errorf("%s: %v in %s", what, found, text.String())
		}
	}
}

func panicWith(what string) {
	options := rest.LoadOptions{Server: "https://127.0.0.1:1", Token: tokenSecret, ProxyURL: "http://me:" + proxySecret + "@p", Env: func(string) string { return "" }}
	if what == "options" {
		panic(options)
	}
	options.ProxyURL = ""
	config, err := rest.LoadConfig(options)
	if err != nil {
		fmt.Println(err)
		os.Exit(0)
	}
	config.Username, config.Password, config.KeyData = "me", nameSecret, []byte(nameSecret)
	if what == "config" {
		panic(config)
	}
	config.KeyData = nil
	client, err := rest.NewClient(config)
	if err != nil {
		fmt.Println(err)
		os.Exit(0)
	}
	request := rest.Request{Path: "/", Header: rest.Header{{Name: "Cookie", Value: tokenSecret}}, Body: []byte(nameSecret)}
	switch what {
	case "client":
		panic(client)
	case "request":
		panic(request)
	}
	_, err = client.Do(context.Background(), request)
	panic(err)
}
