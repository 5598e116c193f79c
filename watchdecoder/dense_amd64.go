package watchdecoder

import "sync/atomic"

// markBlocks marks n blocks, the first at p.
//
//go:noescape
func markBlocks(p *byte, n int, to *[denseBlocks]blockMarks)

// hasAVX2 asks the processor, and whether the operating system keeps the registers.
func hasAVX2() bool

// avx2 is 0 as long as nobody has asked: to ask takes long in a virtual machine.
var avx2 atomic.Int32

// canMark reports whether markBlocks works here.
func canMark() bool {
	if known := avx2.Load(); known != 0 {
		return known > 0
	}
	known := int32(-1)
	if hasAVX2() {
		known = 1
	}
	avx2.Store(known)
	return known > 0
}
