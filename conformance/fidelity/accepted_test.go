package fidelity

// accepted are the answers in which fakeapi differs from the real server on
// purpose, by the step's title, with the reason.
var accepted = map[string]string{
	"GET /": "the list of paths is as long as the server has features",
}
