package watchdecoder

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Media types under which a server sends the metadata of objects alone (API concepts, "Metadata-only fetches"). A server that
// cannot sends whole objects, which [MetadataObject] reads as well.
const (
	AcceptMetadata     = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
	AcceptMetadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
)

// ListAccept is the media type to ask for in a list where accept, as a [Codec] says it, is the one of a watch.
func ListAccept(accept string) string {
	return strings.ReplaceAll(accept, "as=PartialObjectMetadata;", "as=PartialObjectMetadataList;")
}

// Metadata is the part of an object that all objects have in common.
type Metadata struct {
	Name              string            `json:"name,omitempty"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               types.UID         `json:"uid,omitempty"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"`
	Generation        int64             `json:"generation,omitempty"`
	CreationTimestamp time.Time         `json:"creationTimestamp,omitzero"`
	DeletionTimestamp *time.Time        `json:"deletionTimestamp,omitempty"` // nil unless the object is being deleted
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	OwnerReferences   []OwnerReference  `json:"ownerReferences,omitempty"`
	Finalizers        []string          `json:"finalizers,omitempty"`
}

// OwnerReference names an object that this one belongs to.
type OwnerReference struct {
	APIVersion         string    `json:"apiVersion"`
	Kind               string    `json:"kind"`
	Name               string    `json:"name"`
	UID                types.UID `json:"uid"`
	Controller         bool      `json:"controller,omitempty"`
	BlockOwnerDeletion bool      `json:"blockOwnerDeletion,omitempty"`
}

// MetadataObject returns the codec that decodes an object's metadata and nothing else, and asks the server for no more.
func MetadataObject() Codec[*Metadata] { return metadataCodec{newJSONCodec[described]()} }

// described is any object.
type described struct {
	Metadata Metadata `json:"metadata"`
}

type metadataCodec struct{ json *jsonCodec[described] }

func (metadataCodec) Accept() string { return AcceptMetadata }

func (c metadataCodec) Decode(raw []byte) (*Metadata, error) {
	object, err := c.json.Decode(raw)
	if err != nil {
		return nil, err
	}
	return &object.Metadata, nil
}
