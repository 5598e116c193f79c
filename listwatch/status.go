package listwatch

import "time"

// Status is what a reflector is doing and what it has gone through. The JSON names are stable.
type Status struct {
	// State is idle, waiting, watch-list, list, probing or watching; Since is when it was entered.
	State string    `json:"state"`
	Since time.Time `json:"since"`
	// Reason says why it is in that state, Until when the wait ends.
	Reason string    `json:"reason,omitempty"`
	Until  time.Time `json:"until,omitzero"`
	// Synced says that a complete state has been yielded.
	Synced bool `json:"synced"`

	// Received is the version a resume starts from, Applied the one the consumer is done with. Both are of this Epoch; epochs are counted from 0.
	Received string `json:"received,omitempty"`
	Applied  string `json:"applied,omitempty"`
	Epoch    uint64 `json:"epoch"`

	// LastError is the last failure and LastErrorReason its class; they stay when it is overcome.
	LastError       error     `json:"-"`
	LastErrorText   string    `json:"lastError,omitempty"`
	LastErrorReason string    `json:"lastErrorReason,omitempty"`
	LastErrorTime   time.Time `json:"lastErrorTime,omitzero"`

	// Requests made, by what for. Pages are those after the first; Resumes are watches that went on where another had ended.
	WatchLists uint64 `json:"watchLists"`
	Lists      uint64 `json:"lists"`
	Pages      uint64 `json:"pages"`
	Watches    uint64 `json:"watches"`
	Resumes    uint64 `json:"resumes"`
	Probes     uint64 `json:"probes"`
	// Relists counts complete states begun after the first, by reason.
	Relists  map[string]uint64 `json:"relists,omitempty"`
	Problems uint64            `json:"problems"` // objects that could not be read

	LastByte     time.Time `json:"lastByte,omitzero"`
	LastEvent    time.Time `json:"lastEvent,omitzero"`
	LastBookmark time.Time `json:"lastBookmark,omitzero"`
	// Conn is the number of the connection in use, or last used; Connections counts the different ones.
	Conn        uint64 `json:"conn"`
	Connections uint64 `json:"connections"`

	// NoWatchList is set while the collection is known to have no working watch-list.
	NoWatchList *Lesson `json:"noWatchList,omitempty"`
}

// Transition is a change of state.
type Transition struct {
	Time     time.Time
	From, To string
	Reason   string
	// Err is the failure behind it, if there is one.
	Err error
	// Delay is how long the next state will wait before anything is sent.
	Delay time.Duration
	// Version is the received version.
	Version string
	Epoch   uint64
}
