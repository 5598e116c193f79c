package listwatch

import "time"

// inputKind is what happened.
type inputKind uint8

const (
	inStart    inputKind = iota // the iteration begins
	inStop                      // the loop was left, or its context ended
	inTimer                     // the wait is over
	inAccepted                  // a 2xx head whose body is worth reading
	inItem                      // an object of a list
	inPageEnd                   // a list body, complete
	inAdded                     // an event of a watch
	inModified                  //
	inDeleted                   //
	inBookmark                  //
	inBad                       // an event or an item that could not be read; the stream goes on
	inEnded                     // the request failed, or its stream ended; err is nil when the peer ended it whole
	inFailed                    // the consumer lost something
	inputKinds = iota
)

var inputNames = [inputKinds]string{
	"start", "stop", "timer", "accepted", "item", "page", "added", "modified", "deleted", "bookmark", "bad", "ended", "failed",
}

func (k inputKind) String() string { return inputNames[k] }

// input is one thing that happened. Fields are set where they mean something.
type input struct {
	kind    inputKind
	version string // of a frame or a page
	token   string // of a page
	marker  bool   // a bookmark that ends the initial events
	counted bool   // accepted: Content-Length
	err     error  // bad, ended, failed
	reason  string // of err, as classify has it
	status  bool   // err is the API's word: a response or an ERROR event
	// retryAfter is how long the server asked to wait.
	retryAfter time.Duration
}
