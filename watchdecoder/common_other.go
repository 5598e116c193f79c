//go:build !amd64

package watchdecoder

func common(a, b []byte) int { return commonWords(a, b) }
