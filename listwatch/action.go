package listwatch

import (
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

// actionKind is something for the driver to do.
type actionKind uint8

const (
	actRequest    actionKind = iota // send a request; accepted or ended follows
	actWait                         // timer follows
	actClose                        // end the stream; nothing follows from it
	actIdle                         // bound the silence of the stream
	actYield                        // give an event to the consumer, with the frame that was the input where there was one
	actRelist                       // count
	actTransition                   // tell
	actFail                         // end the iteration with err
)

// action is one of them. They are performed in order.
type action struct {
	kind    actionKind
	request *request
	wait    time.Duration // actWait, actIdle
	event   Kind          // actYield
	version string
	initial bool
	reason  string
	err     error
	from    string // actTransition
	to      string
}

// purpose is what a request is for.
type purpose uint8

const (
	forWatchList purpose = iota
	forList
	forPage // of a list, after the first
	forProbe
	forWatch
)

// request is what to ask the server for, selectors apart.
type request struct {
	purpose  purpose
	list     rest.ListOptions
	idle     time.Duration // silence of the body; zero is the client's, as for head
	head     time.Duration // time to the head: a proxy may hold it back until the first event
	deadline time.Duration // of the whole; zero is none
	resume   bool
}
