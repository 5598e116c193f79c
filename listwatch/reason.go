package listwatch

// Reasons of transitions, relists and events. They are stable and safe as metric labels.
const (
	ReasonStart            = "Start"            // the iteration began
	ReasonSynced           = "Synced"           // the state is complete
	ReasonTimeoutSeconds   = "TimeoutSeconds"   // the server ended the watch at the agreed time
	ReasonEndedEarly       = "EndedEarly"       // the server ended the watch, whole, before the agreed time
	ReasonShortWatch       = "ShortWatch"       // the server ended the watch within a second, without a frame
	ReasonCut              = "Cut"              // the body broke off
	ReasonConnection       = "Connection"       // no connection, or it broke before an answer
	ReasonIdle             = "Idle"             // no byte came for too long
	ReasonOverdue          = "Overdue"          // the watch outlived timeoutSeconds
	ReasonExpired          = "Expired"          // 410: the version or the continue token is too old
	ReasonTooLarge         = "TooLarge"         // the version is ahead of the server
	ReasonThrottled        = "Throttled"        // 429
	ReasonUnauthorized     = "Unauthorized"     // 401
	ReasonForbidden        = "Forbidden"        // 403
	ReasonNotFound         = "NotFound"         // 404
	ReasonUnsupported      = "Unsupported"      // 400, 405 or 422: the server does not know such a request
	ReasonRefused          = "Refused"          // any other 3xx or 4xx
	ReasonInternalError    = "InternalError"    // 500
	ReasonStoreReadError   = "StoreReadError"   // an object in etcd that the server cannot read
	ReasonServerError      = "ServerError"      // any other 5xx, or an error without a code
	ReasonMalformed        = "Malformed"        // bytes that are no watch or list, or a broken transfer coding
	ReasonContent          = "Content"          // an answer of another kind: HTML, a Table, a list in place of a watch
	ReasonBadFrame         = "BadFrame"         // an object that could not be read
	ReasonBadItem          = "BadItem"          // a list had an item that could not be read: it is repeated
	ReasonVersion          = "Version"          // an impossible resourceVersion, or none where one must be
	ReasonPaging           = "Paging"           // continue tokens that lead nowhere, pages of different versions
	ReasonLimit            = "Limit"            // a list over MaxObjects or MaxBytes
	ReasonEpoch            = "Epoch"            // the server is behind what it had said before
	ReasonNoWatchList      = "NoWatchList"      // a bookmark that is not marked came before the marker
	ReasonNoMarker         = "NoMarker"         // the watch-list ended twice without its marker
	ReasonSilent           = "Silent"           // the watch-list sent nothing for too long
	ReasonConsumer         = "Consumer"         // Reflector.Failed
	ReasonStopped          = "Stopped"          // the loop was left, or its context ended
	ReasonConfig           = "Config"           // the request cannot be made
	ReasonContentLength    = "ContentLength"    // a watch answered with a counted body: not a stream
	ReasonNotOlder         = "NotOlder"         // the probe found the server where it should be
	ReasonProbeUnavailable = "ProbeUnavailable" // the probe was refused; the watch goes on without
)
