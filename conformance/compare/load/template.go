// Package load is an API server that serves one collection of pods as fast as it can: list, paging, watch-list, bookmarks,
// and on demand a burst of updates or a steady stream of them. Its pods are one template with the fields that differ
// replaced, in JSON or protobuf, whole or metadata alone; the bytes are those of Kubernetes' own encoders, made once.
package load

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
)

//go:embed pod.json
var podJSON []byte

// form is how a client wants its objects.
type form struct {
	protobuf bool
	metadata bool // as PartialObjectMetadata
}

// template is an encoded pod, framed, and where in it the fields stand.
type template struct {
	text    []byte
	patches []patch
}

type patch struct {
	at int
	field
}

// render appends the pod of these values at a version.
func (t *template) render(dst []byte, v values, at uint64) []byte {
	start := len(dst)
	dst = append(dst, t.text...)
	for _, p := range t.patches {
		place := dst[start+p.at:]
		if p.field == version {
			digits(place[:len(placeholders[version])], at)
			continue
		}
		copy(place, v.of(p.field))
	}
	return dst
}

// body is the templates of one form.
type body struct {
	item, added, modified template
}

// bodies is a body for each kind of pod.
type bodies []*body

// of is that of pod i.
func (b bodies) of(i int) *body { return b[i%len(b)] }

func newBody(f form, kind int) (*body, error) {
	pod, err := templatePod(kind)
	if err != nil {
		return nil, err
	}
	var whole, bare runtime.Object = pod, withoutType(pod)
	if f.metadata {
		m := &metav1.PartialObjectMetadata{ObjectMeta: pod.ObjectMeta}
		m.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata"))
		whole, bare = m, m
	}
	b := new(body)
	item, err := encodeItem(f, bare)
	if err != nil {
		return nil, err
	}
	b.item = locate(f, item)
	for eventType, t := range map[string]*template{"ADDED": &b.added, "MODIFIED": &b.modified} {
		frame, err := encodeEvent(f, eventType, whole)
		if err != nil {
			return nil, err
		}
		*t = locate(f, frame)
	}
	return b, nil
}

// templatePod is the pod with a placeholder in each place that varies. Pods of two kinds differ in how many labels and variables they have.
func templatePod(kind int) (*corev1.Pod, error) {
	pod := new(corev1.Pod)
	if err := json.Unmarshal(podJSON, pod); err != nil {
		return nil, fmt.Errorf("template: %w", err)
	}
	for i := range kind % 10 {
		pod.Labels[fmt.Sprintf("label-%d", i)] = "value"
	}
	for i := range kind / 10 {
		pod.Spec.Containers[0].Env = append(pod.Spec.Containers[0].Env, corev1.EnvVar{Name: fmt.Sprintf("VARIABLE_%d", i), Value: "value"})
	}
	start, _ := time.Parse(time.RFC3339, placeholders[created])
	end, _ := time.Parse(time.RFC3339, placeholders[ready])
	pod.Name = pod.GenerateName + "x" + placeholders[nameDigits]
	pod.Namespace = "team-" + placeholders[teamDigits]
	pod.UID = types.UID(placeholders[uid])
	pod.ResourceVersion = placeholders[version]
	pod.CreationTimestamp = metav1.NewTime(start)
	pod.Annotations["checksum/config"] = placeholders[checksum]
	pod.Spec.NodeName = "node-" + placeholders[nodeDigits]
	pod.Status.PodIP = placeholders[podIP]
	pod.Status.PodIPs[0].IP = placeholders[podIP]
	pod.Status.StartTime = &metav1.Time{Time: start}
	for i := range pod.Status.Conditions {
		pod.Status.Conditions[i].LastTransitionTime = metav1.NewTime(end)
	}
	status := &pod.Status.ContainerStatuses[0]
	status.ContainerID = "containerd://" + placeholders[container]
	status.State.Running.StartedAt = metav1.NewTime(end)
	return pod, nil
}

// withoutType is a pod as it stands in a list of a built-in type: without kind and apiVersion.
func withoutType(pod *corev1.Pod) *corev1.Pod {
	bare := pod.DeepCopy()
	bare.TypeMeta = metav1.TypeMeta{}
	return bare
}

// locate finds the placeholders.
func locate(f form, text []byte) template {
	t := template{text: text}
	for i, p := range placeholders {
		want, put := []byte(p), field(i)
		if f.protobuf && (put == created || put == ready) {
			at, _ := time.Parse(time.RFC3339, p)
			want, put = binary.AppendUvarint(nil, uint64(at.Unix())), put-created+createdSeconds
		}
		if len(want) == 0 {
			continue
		}
		for at := 0; ; {
			next := bytes.Index(text[at:], want)
			if next < 0 {
				break
			}
			t.patches = append(t.patches, patch{at + next, put})
			at += next + len(want)
		}
	}
	return t
}

// toProtobuf is the encoding of one object by itself: the prefix, then an Unknown around it.
func toProtobuf(o runtime.Object) ([]byte, error) {
	var b bytes.Buffer
	err := protobuf.NewSerializer(nil, nil).Encode(o, &b)
	return b.Bytes(), err
}

func encodeItem(f form, o runtime.Object) ([]byte, error) {
	if !f.protobuf {
		text, err := json.Marshal(o)
		return append(text, ','), err
	}
	text, err := o.(interface{ Marshal() ([]byte, error) }).Marshal()
	return append(binary.AppendUvarint([]byte{2<<3 | 2}, uint64(len(text))), text...), err
}

// encodeEvent is one frame of a watch: a line of JSON, or a length and a WatchEvent (API concepts, "Protobuf encoding idl").
func encodeEvent(f form, eventType string, o runtime.Object) ([]byte, error) {
	if !f.protobuf {
		text, err := json.Marshal(o)
		return fmt.Appendf(nil, `{"type":%q,"object":%s}`+"\n", eventType, text), err
	}
	text, err := toProtobuf(o)
	if err != nil {
		return nil, err
	}
	event := metav1.WatchEvent{Type: eventType, Object: runtime.RawExtension{Raw: text}}
	frame, err := event.Marshal()
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...), err
}
