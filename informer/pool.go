package informer

import (
	"runtime"
	"sync"
)

// task is one piece of work for the pool.
type task interface {
	run()
	drop() // in place of run, where nobody waits for it any more
}

// pool is the workers that validate and decode, shared by the informers of a factory. They exist while at least one
// informer runs: hold starts them, release stops them and waits.
type pool struct {
	size    int
	buffers sync.Pool // of *[]byte: what raw objects wait in

	mu      sync.Mutex
	work    sync.Cond
	tasks   []task // tasks[taken:] wait
	taken   int
	holders int
	running sync.WaitGroup
}

// maxWorkers bounds the default: beyond it the reading goroutine is the bottleneck.
const maxWorkers = 8

func newPool(workers int) *pool {
	if workers == 0 {
		workers = min(runtime.GOMAXPROCS(0), maxWorkers)
	}
	p := &pool{size: max(workers, 0)}
	p.work.L = &p.mu
	return p
}

func (p *pool) hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holders++; p.holders == 1 {
		for range p.size {
			p.running.Go(p.loop)
		}
	}
}

func (p *pool) release() {
	p.mu.Lock()
	p.holders--
	last := p.holders == 0
	p.work.Broadcast()
	p.mu.Unlock()
	if last {
		p.running.Wait()
	}
}

// submit hands a task over. A pool without workers runs it at once.
func (p *pool) submit(t task) {
	if p.size == 0 {
		t.run()
		return
	}
	p.mu.Lock()
	p.tasks = append(p.tasks, t)
	p.mu.Unlock()
	p.work.Signal()
}

// keepTasks is the largest array that a pool without work keeps.
const keepTasks = 1024

// share is how many tasks a worker takes at once: enough to make the lock cheap, few enough to leave some to the others.
const share = 16

func (p *pool) loop() {
	taken := make([]task, 0, share)
	for {
		taken = p.take(taken[:0])
		if len(taken) == 0 {
			return
		}
		for i, t := range taken {
			t.run()
			taken[i] = nil
		}
	}
}

// take waits for tasks; none mean that the pool is no longer held.
func (p *pool) take(dst []task) []task {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.tasks) == p.taken && p.holders > 0 {
		p.work.Wait()
	}
	waiting := p.tasks[p.taken:]
	if p.holders == 0 {
		for _, t := range waiting {
			t.drop()
		}
		p.tasks, p.taken = nil, 0
		return dst
	}
	n := min(max(1, len(waiting)/p.size), share)
	dst = append(dst, waiting[:n]...)
	clear(waiting[:n])
	if p.taken += n; 2*p.taken < len(p.tasks) {
		return dst
	}
	rest := p.tasks[p.taken:]
	p.tasks = append(p.tasks[:0], rest...) // to places that were taken: each task is moved once, on average
	clear(rest)
	if p.taken = 0; len(p.tasks) == 0 && cap(p.tasks) > keepTasks {
		p.tasks = nil
	}
	return dst
}
