package watchdecoder

// valid is [Valid], for objects of which many are alike.
func (l *outlines) valid(raw []byte) error {
	look := l.look()
	if look && l.find(&validator{b: raw}, 0, 0) == len(raw) {
		return nil
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
