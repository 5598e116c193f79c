package credentials

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

// A token file that is replaced by a swap of links, as the kubelet does it, is followed: from then on all requests are the second user's. A minute of
// the token file's clock passes at once; what happens when the old token is refused at once is package server's test.
func TestTokenFileIsRotatedDuringAWatch(t *testing.T) {
	t.Parallel()
	s := sharedScene(t, "token-file")
	var skew atomic.Int64
	s.swap("volume", "1", map[string][]byte{"token": []byte("planted-first\n")})
	config := s.config(nil, map[string]any{"tokenFile": "volume/token"}, func(o *rest.LoadOptions) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(skew.Load())) }
	})
	f := s.follow(config)
	s.change()
	s.swap("volume", "2", map[string][]byte{"token": []byte("planted-second\n")})
	skew.Store(int64(time.Minute))
	s.changeUntil("a request of the second user", func() bool {
		users, _ := s.users()
		return slices.Contains(users, "second")
	})
	f.finish(s)
	if users, refused := s.users(); !slices.Equal(users, []string{"first", "second"}) || refused > 0 {
		t.Errorf("the requests were of %v, %d refused, want first, then second", users, refused)
	}
}
