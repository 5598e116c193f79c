package load

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// batch is how much is rendered before it is written.
const batch = 64 << 10

// page is a part of the collection: the pods first, first+step, ... below end.
type page struct{ first, end, step int }

func (p page) len() int { return max(0, (p.end-p.first+p.step-1)/p.step) }

// writeList writes a page as a list.
func writeList(w io.Writer, f form, b bodies, pods []values, s *state, p page, next string) error {
	size := 0
	for i := p.first; i < p.end; i += p.step {
		size += len(b.of(i).item.text)
	}
	buf, tail := listHead(f, s.current, size, next)
	for i := p.first; i < p.end; i += p.step {
		buf = b.of(i).item.render(buf, pods[i], s.versions[i])
		if !f.protobuf && i+p.step >= p.end {
			buf = buf[:len(buf)-1] // the last comma
		}
		if len(buf) >= batch {
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	_, err := w.Write(append(buf, tail...))
	return err
}

func listHead(f form, current uint64, size int, next string) (head []byte, tail string) {
	kind, apiVersion := "PodList", "v1"
	if f.metadata {
		kind, apiVersion = "PartialObjectMetadataList", "meta.k8s.io/v1"
	}
	meta := metav1.ListMeta{ResourceVersion: strconv.FormatUint(current, 10), Continue: next}
	if !f.protobuf {
		head = fmt.Appendf(nil, `{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":%q`, kind, apiVersion, meta.ResourceVersion)
		if next != "" {
			head = fmt.Appendf(head, `,"continue":%q`, next)
		}
		return append(head, `},"items":[`...), "]}\n"
	}
	text, err := meta.Marshal()
	if err != nil {
		panic(err) // of two strings
	}
	text = append(binary.AppendUvarint([]byte{1<<3 | 2}, uint64(len(text))), text...)
	typed := runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}
	typeText, err := typed.Marshal()
	if err != nil {
		panic(err)
	}
	head = append([]byte("k8s\x00"), 1<<3|2)
	head = append(binary.AppendUvarint(head, uint64(len(typeText))), typeText...)
	head = append(head, 2<<3|2)
	head = binary.AppendUvarint(head, uint64(len(text)+size))
	return append(head, text...), ""
}
