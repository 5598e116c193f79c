package watchdecoder

// field is a member of a known name in its place.
type field uint8

const (
	fieldNone field = iota // any other member

	// of a watch event
	fieldType
	fieldObject
	fieldEventKind  // none has it: a list or a Status where an event was due
	fieldEventItems // likewise

	// of an object
	fieldAPIVersion
	fieldKind
	fieldMetadata

	// of an object's metadata
	fieldName
	fieldNamespace
	fieldUID
	fieldResourceVersion
	fieldAnnotations

	// of a list
	fieldListAPIVersion
	fieldListKind
	fieldListMetadata
	fieldItems

	// of a list's metadata
	fieldListVersion
	fieldContinue
	fieldRemaining

	fieldCount
)

// foreign says that a field is looked for where it has no business: anything may stand there.
func (f field) foreign() bool { return f == fieldEventKind || f == fieldEventItems }

// shape is what the value of a field has to be.
type shape uint8

const (
	shapeAny    shape = iota // anything: passed over
	shapeSpan                // anything: passed over, its place noted
	shapeText                // a string: its place noted. null is as good as absent
	shapeNumber              // a number, likewise
	shapeObject              // an object: entered
	shapeItems               // an array of objects: where the scanner stops
)

var shapes = [fieldCount]shape{
	fieldType: shapeText, fieldObject: shapeObject, fieldEventKind: shapeText, fieldEventItems: shapeItems,
	fieldAPIVersion: shapeText, fieldKind: shapeText, fieldMetadata: shapeObject,
	fieldName: shapeText, fieldNamespace: shapeText, fieldUID: shapeText, fieldResourceVersion: shapeText, fieldAnnotations: shapeSpan,
	fieldListAPIVersion: shapeText, fieldListKind: shapeText, fieldListMetadata: shapeObject, fieldItems: shapeItems,
	fieldListVersion: shapeText, fieldContinue: shapeText, fieldRemaining: shapeNumber,
}

// level is a kind of object whose members the scanner reads one by one.
type level uint8

const (
	levelEvent level = iota
	levelObject
	levelMetadata
	levelList
	levelListMetadata
)

// levelOf is the level that an object in a field's place is of.
func levelOf(f field) level {
	switch f {
	case fieldObject:
		return levelObject
	case fieldMetadata:
		return levelMetadata
	default:
		return levelListMetadata
	}
}

// longestKey bounds the keys that are compared: resourceVersion and remainingItemCount, each letter as \uXXXX.
const longestKey = 6 * len("remainingItemCount")

// fieldOf finds the field that an unescaped key names.
func fieldOf(l level, key []byte) field {
	switch l {
	case levelEvent:
		switch string(key) {
		case "type":
			return fieldType
		case "object":
			return fieldObject
		case "kind":
			return fieldEventKind
		case "items":
			return fieldEventItems
		}
	case levelObject:
		switch string(key) {
		case "apiVersion":
			return fieldAPIVersion
		case "kind":
			return fieldKind
		case "metadata":
			return fieldMetadata
		}
	case levelMetadata:
		return metadataField(key)
	case levelList:
		switch string(key) {
		case "apiVersion":
			return fieldListAPIVersion
		case "kind":
			return fieldListKind
		case "metadata":
			return fieldListMetadata
		case "items":
			return fieldItems
		}
	case levelListMetadata:
		switch string(key) {
		case "resourceVersion":
			return fieldListVersion
		case "continue":
			return fieldContinue
		case "remainingItemCount":
			return fieldRemaining
		}
	}
	return fieldNone
}

func metadataField(key []byte) field {
	switch string(key) {
	case "name":
		return fieldName
	case "namespace":
		return fieldNamespace
	case "uid":
		return fieldUID
	case "resourceVersion":
		return fieldResourceVersion
	case "annotations":
		return fieldAnnotations
	}
	return fieldNone
}

// String is the key.
//
//go:noinline // it is for errors
func (f field) String() string {
	return [fieldCount]string{
		fieldType: "type", fieldObject: "object", fieldEventKind: "kind", fieldEventItems: "items",
		fieldAPIVersion: "apiVersion", fieldKind: "kind", fieldMetadata: "metadata",
		fieldName: "name", fieldNamespace: "namespace", fieldUID: "uid", fieldResourceVersion: "resourceVersion", fieldAnnotations: "annotations",
		fieldListAPIVersion: "apiVersion", fieldListKind: "kind", fieldListMetadata: "metadata", fieldItems: "items",
		fieldListVersion: "resourceVersion", fieldContinue: "continue", fieldRemaining: "remainingItemCount",
	}[f]
}
