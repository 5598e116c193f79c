//go:build !amd64

package watchdecoder

func classify(p *block) (quotes, escapes, brackets uint64) { return classifyWords(p) }
