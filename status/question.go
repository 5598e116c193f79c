package status

import (
	"errors"
	"strings"
	"time"
)

// IsGone reports that a resourceVersion or continue token is too old, or an item is gone for good: start over with a list. It is true for code 410 and
// for the reasons Expired and Gone; an ERROR event may carry either alone.
func IsGone(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Code == 410 || e.Reason == ReasonExpired || e.Reason == ReasonGone)
}

// IsNotFound reports that the object, or the whole resource, does not exist (404).
func IsNotFound(err error) bool { return is(err, ReasonNotFound, 404) }

// IsAlreadyExists reports that the object to create exists. Only a Status can say so: 409 alone is a conflict.
func IsAlreadyExists(err error) bool { return is(err, ReasonAlreadyExists, 0) }

// IsConflict reports that the object was changed by somebody else (409): read it again and retry.
func IsConflict(err error) bool { return is(err, ReasonConflict, 409) }

// IsUnauthorized reports that the server does not know who asks (401).
func IsUnauthorized(err error) bool { return is(err, ReasonUnauthorized, 401) }

// IsForbidden reports that the server knows who asks and refuses (403).
func IsForbidden(err error) bool { return is(err, ReasonForbidden, 403) }

// IsInvalid reports that the server refused the content (422); Details.Causes say which fields.
func IsInvalid(err error) bool { return is(err, ReasonInvalid, 422) }

// IsBadRequest reports that the server did not understand (400).
func IsBadRequest(err error) bool { return is(err, ReasonBadRequest, 400) }

// IsMethodNotAllowed reports that the resource does not support the verb (405).
func IsMethodNotAllowed(err error) bool { return is(err, ReasonMethodNotAllowed, 405) }

// IsNotAcceptable reports that the server has none of the media types asked for (406).
func IsNotAcceptable(err error) bool { return is(err, ReasonNotAcceptable, 406) }

// IsUnsupportedMediaType reports that the server does not read the media type sent (415).
func IsUnsupportedMediaType(err error) bool { return is(err, ReasonUnsupportedMediaType, 415) }

// IsRequestEntityTooLarge reports that the request was too large (413, whatever reason stands beside it).
func IsRequestEntityTooLarge(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Code == 413 || e.Reason == ReasonRequestEntityTooLarge)
}

// IsInternal reports that the server broke (500 and no more precise reason).
func IsInternal(err error) bool { return is(err, ReasonInternalError, 500) }

// IsStoreReadError reports that the server cannot read an object in its store: resuming meets it again, a list may not.
func IsStoreReadError(err error) bool { return is(err, ReasonStoreReadError, 0) }

// IsServerTimeout reports that the server could not do it in time and asks to try again; no code says this by itself.
func IsServerTimeout(err error) bool { return is(err, ReasonServerTimeout, 0) }

// IsTimeout reports that the server, or a proxy, gave up waiting (504). The request may still have had its effect.
func IsTimeout(err error) bool { return is(err, ReasonTimeout, 504) }

// IsServiceUnavailable reports that the server cannot answer at present (503).
func IsServiceUnavailable(err error) bool { return is(err, ReasonServiceUnavailable, 503) }

// IsTooManyRequests reports that the server asks for less (429), and how long to wait; zero when it did not say.
func IsTooManyRequests(err error) (time.Duration, bool) {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Code != 429 && e.Reason != ReasonTooManyRequests {
		return 0, false
	}
	return e.RetryAfter, true
}

// tooLargeVersion is how servers put it, those before Kubernetes 1.19 in the message alone.
const tooLargeVersion = "Too large resource version"

// IsTooLargeResourceVersion reports that the resourceVersion asked for is ahead of the server: it comes from another server, or this one has lost its past.
func IsTooLargeResourceVersion(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	if e.Details != nil {
		for _, c := range e.Details.Causes {
			if c.Type == CauseResourceVersionTooLarge || c.Message == tooLargeVersion {
				return true
			}
		}
	}
	return is(err, ReasonTimeout, 504) && strings.Contains(e.Message, tooLargeVersion)
}

// RetryAfter returns how long the server asks to wait, whatever the failure; false when it did not say.
func RetryAfter(err error) (time.Duration, bool) {
	if e, ok := errors.AsType[*Error](err); ok && e.HasRetryAfter {
		return e.RetryAfter, true
	}
	return 0, false
}

// Code returns the HTTP status of a failure, zero when err is none of this package's.
func Code(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return 0
}

// is asks for the reason first: 409 and 500 have several. The code counts when the reason is none that is known; zero is no code.
func is(err error, reason Reason, code int) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	return e.Reason == reason || code != 0 && e.Code == code && !e.Reason.known()
}
