package status

// Reason is the machine-readable kind of a failure, as metav1.StatusReason. Servers may send others.
type Reason string

// The reasons of the Kubernetes API.
const (
	ReasonUnknown               Reason = ""
	ReasonUnauthorized          Reason = "Unauthorized"          // 401
	ReasonForbidden             Reason = "Forbidden"             // 403
	ReasonNotFound              Reason = "NotFound"              // 404
	ReasonAlreadyExists         Reason = "AlreadyExists"         // 409: create another
	ReasonConflict              Reason = "Conflict"              // 409: read again and retry
	ReasonGone                  Reason = "Gone"                  // 410: the item is not here any more
	ReasonExpired               Reason = "Expired"               // 410: the resourceVersion or continue token is too old
	ReasonInvalid               Reason = "Invalid"               // 422
	ReasonServerTimeout         Reason = "ServerTimeout"         // 500: it can be retried
	ReasonStoreReadError        Reason = "StorageReadError"      // 500: an object in the store cannot be read
	ReasonTimeout               Reason = "Timeout"               // 504
	ReasonTooManyRequests       Reason = "TooManyRequests"       // 429
	ReasonBadRequest            Reason = "BadRequest"            // 400
	ReasonMethodNotAllowed      Reason = "MethodNotAllowed"      // 405
	ReasonNotAcceptable         Reason = "NotAcceptable"         // 406
	ReasonRequestEntityTooLarge Reason = "RequestEntityTooLarge" // 413
	ReasonUnsupportedMediaType  Reason = "UnsupportedMediaType"  // 415
	ReasonInternalError         Reason = "InternalError"         // 500
	ReasonServiceUnavailable    Reason = "ServiceUnavailable"    // 503
)

// CauseType is the machine-readable kind of a Cause, as metav1.CauseType. Servers may send others.
type CauseType string

// The causes of the Kubernetes API.
const (
	CauseFieldValueNotFound       CauseType = "FieldValueNotFound"
	CauseFieldValueRequired       CauseType = "FieldValueRequired"
	CauseFieldValueDuplicate      CauseType = "FieldValueDuplicate"
	CauseFieldValueInvalid        CauseType = "FieldValueInvalid"
	CauseFieldValueNotSupported   CauseType = "FieldValueNotSupported"
	CauseFieldValueForbidden      CauseType = "FieldValueForbidden"
	CauseFieldValueTooLong        CauseType = "FieldValueTooLong"
	CauseFieldValueTooMany        CauseType = "FieldValueTooMany"
	CauseFieldValueTypeInvalid    CauseType = "FieldValueTypeInvalid"
	CauseInternalError            CauseType = "InternalError"
	CauseUnexpectedServerResponse CauseType = "UnexpectedServerResponse"
	CauseFieldManagerConflict     CauseType = "FieldManagerConflict"
	CauseResourceVersionTooLarge  CauseType = "ResourceVersionTooLarge"
)

// reasonForCode is the reason that a bare code stands for. 409 is taken for a conflict: whether an object existed already, only a Status can say.
func reasonForCode(code int) Reason {
	switch code {
	case 400:
		return ReasonBadRequest
	case 401:
		return ReasonUnauthorized
	case 403:
		return ReasonForbidden
	case 404:
		return ReasonNotFound
	case 405:
		return ReasonMethodNotAllowed
	case 406:
		return ReasonNotAcceptable
	case 409:
		return ReasonConflict
	case 410:
		return ReasonGone
	case 413:
		return ReasonRequestEntityTooLarge
	case 415:
		return ReasonUnsupportedMediaType
	case 422:
		return ReasonInvalid
	case 429:
		return ReasonTooManyRequests
	case 500:
		return ReasonInternalError
	case 503:
		return ReasonServiceUnavailable
	case 504:
		return ReasonTimeout
	}
	return ReasonUnknown
}

// known reports whether a reason decides by itself; beside one it does not know, the code does.
func (r Reason) known() bool {
	switch r {
	case ReasonUnauthorized, ReasonForbidden, ReasonNotFound, ReasonAlreadyExists, ReasonConflict, ReasonGone, ReasonExpired, ReasonInvalid,
		ReasonServerTimeout, ReasonStoreReadError, ReasonTimeout, ReasonTooManyRequests, ReasonBadRequest, ReasonMethodNotAllowed,
		ReasonNotAcceptable, ReasonRequestEntityTooLarge, ReasonUnsupportedMediaType, ReasonInternalError, ReasonServiceUnavailable:
		return true
	}
	return false
}

// statusText is what RFC 9110 15 calls a code that API servers and the proxies before them send; others are empty.
func statusText(code int) string {
	switch code {
	case 400:
		return "Bad Request"
	case 401:
		return "Unauthorized"
	case 403:
		return "Forbidden"
	case 404:
		return "Not Found"
	case 405:
		return "Method Not Allowed"
	case 406:
		return "Not Acceptable"
	case 407:
		return "Proxy Authentication Required"
	case 408:
		return "Request Timeout"
	case 409:
		return "Conflict"
	case 410:
		return "Gone"
	case 411:
		return "Length Required"
	case 412:
		return "Precondition Failed"
	case 413:
		return "Request Entity Too Large"
	case 414:
		return "Request URI Too Long"
	case 415:
		return "Unsupported Media Type"
	case 421:
		return "Misdirected Request"
	case 422:
		return "Unprocessable Entity"
	case 426:
		return "Upgrade Required"
	case 429:
		return "Too Many Requests"
	case 431:
		return "Request Header Fields Too Large"
	case 500:
		return "Internal Server Error"
	case 501:
		return "Not Implemented"
	case 502:
		return "Bad Gateway"
	case 503:
		return "Service Unavailable"
	case 504:
		return "Gateway Timeout"
	case 505:
		return "HTTP Version Not Supported"
	case 511:
		return "Network Authentication Required"
	}
	return ""
}
