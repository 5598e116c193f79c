package faults

// Invariant is something that holds for a client of list and watch, whatever
// happens.
type Invariant string

// The invariants that the catalogue tries.
const (
	FinalState    Invariant = "I1"  // once faults stop, the client's state is the server's
	Subsequence   Invariant = "I2"  // states of a key are a subsequence of the server's history
	Monotone      Invariant = "I3"  // no key goes back to an older version within an epoch
	NoPhantom     Invariant = "I4"  // nothing that the server never had
	Deletes       Invariant = "I5"  // what went in a gap is deleted once
	Lives         Invariant = "I6"  // another UID is another life
	HandlerOrder  Invariant = "I7"  // one call at a time, in a legal order
	BookmarkOrder Invariant = "I9"  // bookmarks never lead past what was not applied, nor back
	ResumeExact   Invariant = "I10" // a resume neither loses nor repeats
	InitAtomic    Invariant = "I11" // no half list is ever seen
	Epochs        Invariant = "I12" // versions that go back are noticed
	Identity      Invariant = "I13" // nothing without name or version, or of another kind, is stored
	StallEnds     Invariant = "I14" // silence is noticed
	LorisEnds     Invariant = "I15" // so is a trickle
	ExpiredEnds   Invariant = "I16" // 410 anywhere leads to a list, and not in a loop
	TooLargeEnds  Invariant = "I17" // so does a version ahead of the server
	StormBound    Invariant = "I18" // refusals are answered by few requests
	Fallback      Invariant = "I19" // a watch-list that does not work is replaced by a list
	PagesEnd      Invariant = "I20" // pages that lead nowhere are left
	AddressChange Invariant = "I22" // connections are made anew
	Replicas      Invariant = "I23" // API servers at different heights
	CancelEnds    Invariant = "I24" // cancelling ends everything at once
	Incomplete    Invariant = "I25" // what was cut is never taken for whole
	LyingLength   Invariant = "I26" // a wrong length poisons its connection
	MemoryBound   Invariant = "I27" // no peer decides what is held
	NoPanic       Invariant = "I29" // no bytes make a client panic or hang
	WrongContent  Invariant = "I30" // HTML is no list
	Backpressure  Invariant = "I31" // a handler that waits holds up nobody
	Rotation      Invariant = "I33" // a new token is used for the next request
	OneOrigin     Invariant = "I35" // credentials go nowhere else
	SyncedHonest  Invariant = "I37" // synced means that the first state is there
)
