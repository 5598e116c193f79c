package load

import (
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// bookmarkInterval is that of a real server.
const bookmarkInterval = time.Minute

// watcher is one watch. What is to be sent is sent by the goroutine that serves it.
type watcher struct {
	form
	bodies
	page  page
	w     http.ResponseWriter
	buf   []byte
	pods  []values
	todo  chan func(*watcher) (goOn bool)
	ready bool // guarded by Server.mu: the initial state is out
}

// serve sends the initial state, where one is asked for, and then what is to be done until the client leaves.
func (w *watcher) serve(r *http.Request, s *Server, initial bool) {
	if initial {
		snapshot := s.snapshot()
		for i := w.page.first; i < w.page.end; i += w.page.step {
			if !w.send(&w.bodies.of(i).added, i, snapshot.versions[i]) {
				return
			}
		}
		w.bookmark(snapshot.current, true)
	}
	s.flush(w)
	s.watcherReady(w, true)
	ticker := time.NewTicker(bookmarkInterval)
	defer ticker.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case do := <-w.todo:
			if !do(w) {
				return
			}
		case <-ticker.C:
			w.bookmark(s.snapshot().current, false)
			s.flush(w)
		}
	}
}

// send appends an event of pod i, and writes when there is enough.
func (w *watcher) send(t *template, i int, version uint64) bool {
	w.buf = t.render(w.buf, w.pods[i], version)
	if len(w.buf) < batch {
		return true
	}
	_, err := w.w.Write(w.buf)
	w.buf = w.buf[:0]
	return err == nil
}

// bookmark sends a bookmark: a pod with nothing but a version, as a real server makes it.
func (w *watcher) bookmark(current uint64, endsInitial bool) {
	meta := metav1.ObjectMeta{ResourceVersion: strconv.FormatUint(current, 10)}
	if endsInitial {
		meta.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}, ObjectMeta: meta}
	var o runtime.Object = pod
	if w.metadata {
		p := &metav1.PartialObjectMetadata{ObjectMeta: meta}
		p.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata"))
		o = p
	}
	w.event("BOOKMARK", o)
}

// expired tells the client that its version is too old, so that it lists again.
func (w *watcher) expired() {
	w.event("ERROR", &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Message: "too old resource version", Reason: metav1.StatusReasonExpired, Code: http.StatusGone})
}

func (w *watcher) event(eventType string, o runtime.Object) {
	frame, err := encodeEvent(w.form, eventType, o)
	if err != nil {
		panic(err) // of our own objects
	}
	w.buf = append(w.buf, frame...)
}
