package rest

import (
	"context"
	"crypto/tls"
)

// CredentialSource gives the identity of requests where it changes with time and is more than a token: an exec plugin (rest/execplugin), a vault.
// It is used by several goroutines at once.
type CredentialSource interface {
	// Credential returns what the next request is authorised with: a bearer token (without the word Bearer), a client certificate, or both. It is called
	// once per Do, should answer from memory as long as it can, and must return when ctx ends. An error sends nothing and is wrapped in an [Error] of
	// PhaseAuth: it must not hold a secret.
	//
	// The certificate is compared by its address: return the same one as long as it has not changed. Another one retires the connections of the last, as
	// [Config.ReloadInterval] says.
	Credential(ctx context.Context) (token string, certificate *tls.Certificate, err error)
	// Rejected tells that the server answered 401 to these, so that Credential can give newer ones next time. Do does not repeat the request.
	Rejected(token string, certificate *tls.Certificate)
}
