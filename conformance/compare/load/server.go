package load

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// state is which version each pod is at.
type state struct {
	versions []uint64
	current  uint64
}

// Server serves n pods. Its methods may be called from any goroutine; one of Burst, Steady and Expire at a time.
type Server struct {
	// NoWatchList refuses watches with sendInitialEvents, so that clients list. Not to be changed while it serves.
	NoWatchList bool

	bodies map[form]bodies
	pods   []values

	mu          sync.Mutex
	changed     sync.Cond // a watcher came, went, or is ready
	state       state
	watchers    []*watcher
	connections map[net.Conn]bool
	most        int // connections at a time
}

// NewServer returns a server of n pods, in turns of so many kinds.
func NewServer(n, kinds int) (*Server, error) {
	s := &Server{bodies: map[form]bodies{}, pods: allValues(n), connections: map[net.Conn]bool{}}
	s.changed.L = &s.mu
	s.state.current = FirstVersion + uint64(n)
	for i := range n {
		s.state.versions = append(s.state.versions, FirstVersion+uint64(i))
	}
	for _, f := range []form{{false, false}, {false, true}, {true, false}, {true, true}} {
		for kind := range kinds {
			b, err := newBody(f, kind)
			if err != nil {
				return nil, err
			}
			s.bodies[f] = append(s.bodies[f], b)
		}
	}
	return s, nil
}

func (s *Server) snapshot() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return state{slices.Clone(s.state.versions), s.state.current}
}

// ServeHTTP implements http.Handler for the pods of all namespaces and of one.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := page{0, len(s.snapshot().versions), 1}
	switch path := r.URL.Path; {
	case path == "/api/v1/pods":
	case strings.HasPrefix(path, "/api/v1/namespaces/team-") && strings.HasSuffix(path, "/pods"):
		team, err := strconv.Atoi(path[len("/api/v1/namespaces/team-") : len(path)-len("/pods")])
		if err != nil || team < 0 || team >= teams {
			http.NotFound(w, r)
			return
		}
		p.first, p.step = team, teams
	default:
		http.NotFound(w, r)
		return
	}
	f := accepted(r.Header.Get("Accept"))
	if r.URL.Query().Get("watch") != "" && r.URL.Query().Get("watch") != "false" {
		s.watch(w, r, f, p)
		return
	}
	s.list(w, r, f, p)
}

// accepted is the first media type of the client's that is served here.
func accepted(accept string) form {
	for kind := range strings.SplitSeq(accept, ",") {
		f := form{metadata: strings.Contains(kind, "as=PartialObjectMetadata")}
		switch name, _, _ := strings.Cut(strings.TrimSpace(kind), ";"); name {
		case "application/vnd.kubernetes.protobuf":
			f.protobuf = true
			return f
		case "application/json", "*/*":
			return f
		}
	}
	return form{}
}

func (f form) contentType(watch bool) string {
	kind := "application/json"
	if f.protobuf {
		kind = "application/vnd.kubernetes.protobuf"
	}
	if f.protobuf && watch {
		kind += ";stream=watch"
	}
	return kind
}

// list answers all of it, or a page where the client says limit and does not take any state (resourceVersion=0).
func (s *Server) list(w http.ResponseWriter, r *http.Request, f form, p page) {
	q := r.URL.Query()
	next := ""
	limit, _ := strconv.Atoi(q.Get("limit"))
	if at := q.Get("continue"); at != "" {
		first, err := strconv.Atoi(at)
		if err != nil || first < 0 {
			http.Error(w, "bad continue", http.StatusBadRequest)
			return
		}
		p.first = first
	}
	if limit > 0 && q.Get("resourceVersion") != "0" && p.len() > limit {
		p.end = p.first + limit*p.step
		next = strconv.Itoa(p.end)
	}
	w.Header().Set("Content-Type", f.contentType(false))
	snapshot := s.snapshot()
	_ = writeList(w, f, s.bodies[f], s.pods, &snapshot, p, next) // an error is a client that left
}

// noWatchList is what a server without watch-list answers to one.
const noWatchList = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Invalid","code":422,` +
	`"message":"sendInitialEvents: Forbidden: not served here"}`

func (s *Server) watch(w http.ResponseWriter, r *http.Request, f form, p page) {
	q := r.URL.Query()
	initial := q.Get("sendInitialEvents") == "true"
	if initial && s.NoWatchList {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = w.Write([]byte(noWatchList)) // an error is a client that left
		return
	}
	w.Header().Set("Content-Type", f.contentType(true))
	watch := &watcher{form: f, bodies: s.bodies[f], page: p, w: w, pods: s.pods, todo: make(chan func(*watcher) bool)}
	if at, err := strconv.ParseUint(q.Get("resourceVersion"), 10, 64); !initial && (err != nil || at < s.snapshot().current) {
		watch.expired()
		s.flush(watch)
		return
	}
	s.mu.Lock()
	s.watchers = append(s.watchers, watch)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.watchers = slices.DeleteFunc(s.watchers, func(o *watcher) bool { return o == watch })
		s.changed.Broadcast()
		s.mu.Unlock()
	}()
	watch.serve(r, s, initial)
}

// flush writes what is left and sends it on its way.
func (s *Server) flush(w *watcher) {
	_, _ = w.w.Write(w.buf) // an error is a client that left: its context ends
	w.buf = w.buf[:0]
	if err := http.NewResponseController(w.w).Flush(); err != nil {
		return
	}
}

func (s *Server) watcherReady(w *watcher, ready bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.ready = ready
	s.changed.Broadcast()
}

// ConnState is for http.Server: it counts connections.
func (s *Server) ConnState(c net.Conn, to http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch to {
	case http.StateNew:
		s.connections[c] = true
		s.most = max(s.most, len(s.connections))
	case http.StateClosed, http.StateHijacked:
		delete(s.connections, c)
	}
}

// Connections returns how many are open, and how many were at a time since the last call.
func (s *Server) Connections() (open, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	open, most = len(s.connections), s.most
	s.most = open
	return open, most
}

// Await waits until n watches have their initial state and no other is there, at most until a deadline.
func (s *Server) Await(n int, atMost time.Duration) error {
	deadline := time.Now().Add(atMost)
	timer := time.AfterFunc(atMost, s.changed.Broadcast)
	defer timer.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		ready := 0
		for _, w := range s.watchers {
			if w.ready {
				ready++
			}
		}
		if ready == n && len(s.watchers) == n {
			return nil
		}
		if !time.Now().Before(deadline) {
			return fmt.Errorf("%d of %d watches, %d of them ready, after %v", len(s.watchers), n, ready, atMost)
		}
		s.changed.Wait()
	}
}
