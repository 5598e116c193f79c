package rest

// traces are the client's Trace and the request's, in this order; either may be nil. Without any, nothing is built and nothing is allocated.
type traces [2]*Trace

func (t traces) any() bool { return t[0] != nil || t[1] != nil }

func (t traces) dialStart(i DialStart) {
	for _, x := range t {
		if x != nil && x.DialStart != nil {
			x.DialStart(i)
		}
	}
}

func (t traces) dialDone(i DialDone) {
	for _, x := range t {
		if x != nil && x.DialDone != nil {
			x.DialDone(i)
		}
	}
}

func (t traces) tls(i TLSDone) {
	for _, x := range t {
		if x != nil && x.TLS != nil {
			x.TLS(i)
		}
	}
}

func (t traces) connect(i ConnectDone) {
	for _, x := range t {
		if x != nil && x.Connect != nil {
			x.Connect(i)
		}
	}
}

func (t traces) request(i RequestSent) {
	for _, x := range t {
		if x != nil && x.Request != nil {
			x.Request(i)
		}
	}
}

func (t traces) head(i HeadReceived) {
	for _, x := range t {
		if x != nil && x.Head != nil {
			x.Head(i)
		}
	}
}

// wantsChunks reports whether anybody looks at chunks: without, the decoder is not asked for them.
func (t traces) wantsChunks() bool {
	return (t[0] != nil && t[0].Chunk != nil) || (t[1] != nil && t[1].Chunk != nil)
}

func (t traces) chunk(i ChunkReceived) {
	for _, x := range t {
		if x != nil && x.Chunk != nil {
			x.Chunk(i)
		}
	}
}

func (t traces) bodyEnd(i BodyEnd) {
	for _, x := range t {
		if x != nil && x.BodyEnd != nil {
			x.BodyEnd(i)
		}
	}
}

func (t traces) closed(i ConnClosed) {
	for _, x := range t {
		if x != nil && x.CloseConn != nil {
			x.CloseConn(i)
		}
	}
}
