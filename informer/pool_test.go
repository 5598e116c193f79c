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
