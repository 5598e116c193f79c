package control

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// A day with a change every second, over connections each of which breaks
// after a random number of bytes: every change is told once, in order.
func TestADayOfRandomCutsLosesNothing(t *testing.T) {
	const changes, objects = 24 * 60 * 60, 50
	compare(t, "a day, a change every second, each connection breaks after 12 KB on average", "every change told once, in order; one list", fakeapi.Options{CompressOver: -1}, false, func(b *bed) string {
		cuts := budget{random: rand.New(rand.NewPCG(1, 24))}
		b.wrap = cuts.wrap
		b.start(setup{})
		random := rand.New(rand.NewPCG(1, 7))
		there := map[string]bool{}
		for range changes {
			b.pass(time.Second)
			name := fmt.Sprintf("pod-%d", random.IntN(objects))
			if there[name] && random.IntN(4) == 0 {
				if _, err := b.server.Delete("pods", "default", name); err != nil {
					b.Fatal(err)
				}
				there[name] = false
				continue
			}
			b.pod(name)
			there[name] = true
		}
		_, ok := b.within(10*time.Minute, b.equal)
		told, wrong := len(b.seen("", 0)), b.disorder()
		lists := b.requests("list", "watch-list")
		b.must(ok && told == changes && wrong == "", "converged: %v; %d of %d changes told; %s", ok, told, changes, wrong)
		b.must(lists == 1, "%d lists", lists)
		result := fmt.Sprintf("%d of %d told, %d connections, %d lists and watch-lists", told, changes, cuts.made, lists)
		if wrong != "" {
			result += ", something twice or out of order"
		}
		return result
	})
}

// budget gives each connection a random number of bytes before it breaks.
type budget struct {
	mu     sync.Mutex
	random *rand.Rand
	made   int
}

func (c *budget) wrap(conn net.Conn) net.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	return &cut{conn, 2000 + int64(c.random.ExpFloat64()*10_000), syscall.ECONNRESET}
}
