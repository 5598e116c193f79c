package watchdecoder

// valid is [Valid], for objects of which many are alike.
func (l *outlines) valid(raw []byte) error {
	look := l.look()
	v := validator{b: raw}
	for n := 0; look && n < outlineWays; n++ {
		var t trail
		if o := l.way(n); len(o.text) > 0 && o.follow(&v, &t, nil) == alike && t.i == len(raw) {
			l.hit(n)
			return nil
		}
	}
	err := Valid(raw)
	if err != nil {
		return err
	}
	if o := l.missed(raw, look); o != nil {
		o.learn(raw, 0, 0)
	}
	return nil
}
