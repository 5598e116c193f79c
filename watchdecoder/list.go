package watchdecoder

import "io"

// ListMeta is what a list says about itself.
type ListMeta struct {
	APIVersion, Kind   string
	ResourceVersion    string
	Continue           string // token of the next page, "" on the last one
	RemainingItemCount int64  // estimate of the items on later pages, -1 if the list does not say
}

// ListDecoder reads the items of one list one by one, wherever its metadata stands, and holds one item at a time. It is not
// safe for concurrent use.
type ListDecoder struct {
	r io.Reader
	o Options
}

// NewListDecoder returns a decoder that reads one list from r, up to r's end.
func NewListDecoder(r io.Reader, o Options) *ListDecoder { return &ListDecoder{r: r, o: o} }

// Next returns the next item, valid until the next call. Where it says neither apiVersion nor kind, its identity takes them
// from the list, else from Options.
//
// The error is
//   - io.EOF once the list ended and nothing but white space followed, never otherwise;
//   - a *status.Error if the body is a Status in place of a list;
//   - a *[FrameError] that is Recoverable if only this item is bad, with the item beside it as for [Decoder.Next];
//   - a *[FrameError] that is not Recoverable if the body is not a list: malformed, cut (then errors.Is io.ErrUnexpectedEOF),
//     HTML, a Table;
//   - the reader's error otherwise.
//
// An error that ends the list is returned by all later calls as well.
func (d *ListDecoder) Next() (*Item, error) { return nil, io.EOF }

// Meta returns the list's metadata: complete once Next returned io.EOF, what is known so far before (lists of custom resources
// have it behind their items).
func (d *ListDecoder) Meta() ListMeta { return ListMeta{RemainingItemCount: -1} }
