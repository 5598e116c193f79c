package chunked

// plainFraming takes what most framing is, the CRLF after data and a line of a few digits, in one piece. It returns the bytes taken, and refuses nothing: what
// is unusual in any way, or not all there, is left to step from its first byte.
func (r *Reader) plainFraming(b []byte) int {
	used := 0
	if r.phase == dataCR && len(b) >= 2 && b[0] == '\r' && b[1] == '\n' {
		r.phase, r.line = inLine, chunkLine{}
		used, b = 2, b[2:]
	}
	if r.phase == inLine && r.line.length == 0 {
		used += r.plainLine(r.wire+int64(used), b)
	}
	r.wire += int64(used)
	return used
}

// plainLine takes a line of up to eight digits, which pays for itself (freePerChunk), that begins at an offset of the wire.
func (r *Reader) plainLine(at int64, b []byte) int {
	size, digits := plainSize(b)
	length := int64(digits + 2)
	if digits == 0 || size > r.o.MaxChunk || length > int64(r.o.MaxLine) {
		return 0
	}
	r.line = chunkLine{size: size, length: length}
	r.beginChunk(at)
	return int(length)
}

// plainSize reads up to eight digits and the CRLF after them; no digits if that is not what b begins with.
func plainSize(b []byte) (size int64, digits int) {
	const most = 8
	for digits < len(b) && digits < most {
		d := hexDigit(b[digits])
		if d < 0 {
			break
		}
		size = size<<4 | d
		digits++
	}
	if len(b) < digits+2 || b[digits] != '\r' || b[digits+1] != '\n' {
		return 0, 0
	}
	return size, digits
}
