package fakeapi

// Object is one state of one object.
type Object struct {
	Namespace, Name, UID string
	// ResourceVersion is the version at which this state was written.
	ResourceVersion uint64
	// JSON is the object as the server sends it, kind and apiVersion
	// included. It is shared: do not modify.
	JSON []byte
}
