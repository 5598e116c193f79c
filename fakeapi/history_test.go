package fakeapi

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a client is compared with must be complete: every way of writing is in it, and a restore is one entry.
func TestOnChangeTellsOfEveryCommit(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	var told []string
	remove := s.OnChange(func(c Change) {
		if c.Resource != "configmaps" {
			return
		}
		line := fmt.Sprintf("%s %s@%d", c.Type, c.Object.Name, c.Version)
		for _, o := range c.Objects {
			line += fmt.Sprintf(" %s@%d", o.Name, o.ResourceVersion)
		}
		told = append(told, line)
	})
	write := func(_ Object, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write(s.Create("configmaps", `{"metadata":{"name":"a"}}`))
	backup := s.Snapshot()
	write(s.Apply("configmaps", `{"metadata":{"name":"a"},"data":{"x":"1"}}`))
	write(s.Apply("configmaps", `{"metadata":{"name":"a"},"data":{"x":"1"}}`)) // changes nothing
	write(s.Create("configmaps", `{"metadata":{"name":"b"}}`))
	write(s.Delete("configmaps", "", "a"))
	s.Restore(backup)
	write(s.Create("configmaps", `{"metadata":{"name":"c"}}`))
	remove()
	write(s.Create("configmaps", `{"metadata":{"name":"d"}}`))
	want := []string{"ADDED a@2", "MODIFIED a@3", "ADDED b@4", "DELETED a@5", "RESTORED @2 a@2", "ADDED c@3"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
