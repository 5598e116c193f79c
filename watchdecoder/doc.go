// Package watchdecoder turns the bytes of a Kubernetes watch or list into frames and items, and single objects into values.
//
// [Decoder] and [ListDecoder] find, in one pass and without decoding, where each watch event or list item ends and whose it
// is: kind, namespace, name, UID and resourceVersion. Their results never depend on newlines or on how reads are sliced, and
// a frame is returned as soon as its closing brace was read.
//
// The scanner behind them is not a validator. Of a frame that it returns it has proved that
//   - outside strings every brace and bracket is closed by its own kind, and no deeper than the limit,
//   - the envelope, the object and its metadata are members "key": value with one comma between them, and
//   - type, apiVersion, kind, metadata, name, namespace, uid, resourceVersion and annotations stand there at most once,
//     compared after unescaping.
//
// Numbers, the contents of strings, and whatever lies deeper were not looked at: that is what [Valid] does. The codecs of this
// package call it, once for each object, before anybody sees the object; who shows [Frame.Raw] calls it first. What surrounds
// the items of a list is scanned in the same way, and not validated by anybody.
//
// The scanner works on 64 bytes at a time, and carries what it has to between blocks, so that it can stop behind any byte.
package watchdecoder
