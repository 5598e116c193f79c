package watchdecoder

// classify is classifyWords, with the instructions that every amd64 has for this.
//
//go:noescape
func classify(p *block) (quotes, escapes, brackets uint64)
