package listwatch

import (
	"sync"
	"time"
)

// Lessons remembers which collections of one API server have no working watch-list, so that each relist does not find out again. It is safe for
// concurrent use; share one among the reflectors of a client.
type Lessons struct {
	mu      sync.Mutex
	learned map[string]Lesson
}

// Lesson is why a collection is listed, and until when.
type Lesson struct {
	Reason string    `json:"reason"`
	Until  time.Time `json:"until"`
	Times  int       `json:"times"` // learned in a row
}

// A lesson holds for ten minutes, then for twice as long each time it is learned again, up to an hour.
const (
	firstLesson   = 10 * time.Minute
	longestLesson = time.Hour
)

// NewLessons returns an empty memory.
func NewLessons() *Lessons { return &Lessons{learned: make(map[string]Lesson)} }

// learn notes that a collection's watch-list does not work.
func (l *Lessons) learn(collection, reason string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	times := l.learned[collection].Times
	period := longestLesson
	if times < 3 { // 10, 20, 40 minutes
		period = firstLesson << times
	}
	l.learned[collection] = Lesson{Reason: reason, Until: now.Add(period), Times: times + 1}
}

// forget is called when a watch-list has worked.
func (l *Lessons) forget(collection string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.learned, collection)
}

// holds returns the lesson that forbids a watch-list now, or nil.
func (l *Lessons) holds(collection string, now time.Time) *Lesson {
	l.mu.Lock()
	defer l.mu.Unlock()
	lesson, ok := l.learned[collection]
	if !ok || !now.Before(lesson.Until) {
		return nil
	}
	return &lesson
}
