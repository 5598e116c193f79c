package informer

import (
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/fakeapi/faults"
	"github.com/rawwatch/rawwatch/listwatch"
)

// An item that says nothing may stand for an object that nobody has heard of, which no watch will tell of as long as it does not change: the list is asked for again.
func TestObjectBehindABadItemIsFoundByTheNextList(t *testing.T) {
	for _, fault := range []string{"item-null", "item-string"} {
		t.Run(fault, func(t *testing.T) {
			bubble(t, fakeapi.Options{}, func(k *kit) {
				k.put("b", "n1")
				injector := faults.New(k.Server)
				i := k.pods(Options{Reflector: listOnly})
				stop := run(k, i)
				defer stop()
				told := fromHere(k, i)
				spoiled := injector.Inject(faults.MustFind(fault), faults.When{})
				k.ExpireWatches()
				k.put("a", "n1") // the first item of the list, created while nobody watched
				time.Sleep(30 * time.Second)
				told.want(k, "the list did not say what its first item is")
				if spoiled.Hits() != 1 {
					k.Fatalf("%d lists were spoiled", spoiled.Hits())
				}
				time.Sleep(3 * time.Minute)
				told.want(k, "the next list did", "Added a >n1")
				if s := i.Status().Sources[0]; s.Reflector.Relists[listwatch.ReasonBadItem] != 1 {
					k.Errorf("Status = %+v", s)
				}
			})
		})
	}
}
