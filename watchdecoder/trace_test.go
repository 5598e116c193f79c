package watchdecoder_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/internal/wiretest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// outcome is all that one call to a decoder returned, in memory of its own.
type outcome struct {
	Object, Identity string // "" if there was none
	Raw              string
	Type             watchdecoder.EventType
	InitialEventsEnd bool
	Index            int
	Offset           int64
	Error            string // everything in it
	Recoverable      bool
	Status           string
	Cut              bool
}

func describe(id watchdecoder.Identity) string {
	return fmt.Sprintf("%s %s %s/%s %s @%s", id.APIVersion, id.Kind, id.Namespace, id.Name, id.UID, id.ResourceVersion)
}

func (o *outcome) fail(err error) {
	if err == nil {
		return
	}
	o.Error = err.Error()
	if e, ok := errors.AsType[*watchdecoder.FrameError](err); ok {
		o.Error = fmt.Sprintf("%s|%s|%d|%d|%s|%s", e.Rule, e.Detail, e.Start, e.Offset, e.Key, e.Type)
	}
	if e, ok := errors.AsType[*status.Error](err); ok {
		o.Status = fmt.Sprint(e.Code, " ", e.Reason)
	}
	o.Recoverable = watchdecoder.IsRecoverable(err)
	o.Cut = errors.Is(err, io.ErrUnexpectedEOF)
}

// final says that the decoder has nothing more to say.
func (o *outcome) final() bool { return o.Error != "" && !o.Recoverable && o.Raw == "" }

func watchOutcomes(r io.Reader, options watchdecoder.Options) []outcome {
	d := watchdecoder.NewDecoder(r, options)
	var all []outcome
	for {
		var o outcome
		f, err := d.Next()
		o.fail(err)
		if f != nil {
			o.Object, o.Raw, o.Identity = string(f.Object), string(f.Raw), describe(f.Identity)
			o.Type, o.InitialEventsEnd, o.Offset = f.Type, f.InitialEventsEnd, f.Offset
		}
		all = append(all, o)
		if o.final() {
			return all
		}
	}
}

func listOutcomes(r io.Reader, options watchdecoder.Options) ([]outcome, watchdecoder.ListMeta) {
	d := watchdecoder.NewListDecoder(r, options)
	var all []outcome
	for {
		var o outcome
		item, err := d.Next()
		o.fail(err)
		if item != nil {
			o.Object, o.Raw, o.Identity = string(item.Object), string(item.Object), describe(item.Identity)
			o.Index, o.Offset = item.Index, item.Offset
		}
		all = append(all, o)
		if o.final() {
			return all, d.Meta()
		}
	}
}

// splitAndCut reads input in every way: results must not depend on how reads are sliced; and of a body that was cut they are
// those of the whole body up to the cut, and then an error.
func splitAndCut(t *testing.T, input string, read func(io.Reader) []outcome, clean func(cut int) bool) {
	t.Helper()
	whole := read(wiretest.Slices([]byte(input)))
	for how, r := range wiretest.EverySplit([]byte(input)) {
		if diff := cmp.Diff(whole, read(r)); diff != "" {
			t.Fatalf("%s: the results differ (-whole +split):\n%s", how, diff)
		}
	}
	for n, r := range wiretest.EveryCut([]byte(input)) {
		got := read(r)
		last := got[len(got)-1]
		before := got[:len(got)-1]
		if len(before) > len(whole) {
			t.Fatalf("cut at %d: more results than without a cut", n)
		}
		if diff := cmp.Diff(whole[:len(before)], before, cmp.Transformer("empty", func(o []outcome) []outcome { return append([]outcome{}, o...) })); diff != "" {
			t.Fatalf("cut at %d: the results before it differ:\n%s", n, diff)
		}
		switch {
		case last.Cut:
		case last.Error == "EOF" && clean(n):
		case len(before) < len(whole) && cmp.Equal(last, whole[len(before)]): // the body was bad before the cut
		default:
			t.Fatalf("cut at %d: ended with %+v", n, last)
		}
	}
}
