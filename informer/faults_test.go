package informer

import (
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
)

type (
	httpRequest = http.Request
	conn        = net.Conn
)

// hang answers nothing.
func hang(w http.ResponseWriter, r *http.Request) bool {
	<-r.Context().Done()
	return true
}

// endless answers with a list that never ends.
func endless(w http.ResponseWriter, r *http.Request) bool {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[`)
	http.NewResponseController(w).Flush()
	<-r.Context().Done()
	return true
}

func replace(s, old, new string) string { return strings.ReplaceAll(s, old, new) }

func goexit() { runtime.Goexit() }
