//go:build !amd64

package watchdecoder

func canMark() bool { return false }

func markBlocks(*byte, int, *[denseBlocks]blockMarks) {}
