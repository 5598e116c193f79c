package informer

import (
	"testing"
	"testing/synctest"
)

type step struct{ ran, dropped func() }

func (s step) run()  { s.ran() }
func (s step) drop() { s.dropped() }

func TestPoolRunsTasksWhileItIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(2)
		p.hold()
		p.hold()
		ran := make(chan int, 100)
		for n := range 100 {
			p.submit(step{ran: func() { ran <- n }})
		}
		p.release()
		seen := map[int]bool{}
		for range 100 {
			seen[<-ran] = true
		}
		if len(seen) != 100 {
			t.Errorf("%d tasks ran", len(seen))
		}
		p.release()
	})
}

func TestPoolDropsTasksThatNobodyWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(1)
		p.hold()
		begun, end := make(chan struct{}), make(chan struct{})
		p.submit(step{ran: func() { close(begun); <-end }})
		<-begun
		dropped := false
		p.submit(step{ran: func() { t.Error("it ran") }, dropped: func() { dropped = true }})
		released := make(chan struct{})
		go func() { p.release(); close(released) }()
		synctest.Wait()
		close(end)
		<-released
		if !dropped {
			t.Error("nobody was told")
		}
	})
}

func TestPoolWithoutWorkersRunsTasksAtOnce(t *testing.T) {
	p := newPool(-1)
	ran := false
	p.submit(step{ran: func() { ran = true }})
	if !ran {
		t.Error("not run")
	}
}

// Tasks that come faster than they go are done in their order, and what they leave behind is bounded.
func TestPoolDoesItsTasksInTheirOrder(t *testing.T) {
	p := newPool(1)
	next, done := 0, make(chan struct{})
	const tasks = 10_000
	for n := range tasks {
		p.submit(order{n, &next, tasks, done})
	}
	p.hold()
	<-done
	p.release()
	if next != tasks {
		t.Errorf("%d tasks done in order, want %d", next, tasks)
	}
	if cap(p.tasks) > keepTasks {
		t.Errorf("a pool without work keeps %d places, want at most %d", cap(p.tasks), keepTasks)
	}
}

type order struct {
	n    int
	next *int
	all  int
	done chan struct{}
}

func (o order) run() {
	if *o.next == o.n {
		*o.next++
	}
	if o.n == o.all-1 {
		close(o.done)
	}
}

func (order) drop() {}
