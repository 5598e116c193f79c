// Package codec holds watchdecoder's JSON codec to the decoder of Kubernetes,
// on every type of k8s.io/api.
package codec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	kjson "sigs.k8s.io/json"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

//go:generate go run ./internal/kinds

// comparison decodes data with both decoders; "" when they agree: on the
// value, or on that there is none.
type comparison func(data []byte) string

func compare[T any](data []byte) string {
	want := new(T)
	wantErr := kjson.UnmarshalCaseSensitivePreserveInts(data, want)
	got, gotErr := watchdecoder.JSON[T]().Decode(data)
	switch {
	case (wantErr == nil) != (gotErr == nil):
		return fmt.Sprintf("sigs.k8s.io/json: %v, watchdecoder.JSON: %v", wantErr, gotErr)
	case wantErr == nil && !reflect.DeepEqual(want, got):
		return "the values differ:\n" + firstDifference(dump(want), dump(got))
	}
	return ""
}

func dump(v any) string {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d: want %s, got %s", i+1, w[i], g[i])
		}
	}
	return "equal as JSON, not as Go values"
}

// golden returns the objects that Kubernetes keeps to prove that it still
// reads what it once wrote: every field of every kind is set.
func golden(t *testing.T) map[string][]byte {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "testdata", "HEAD", "*.json"))
	if err != nil || len(files) < 150 {
		t.Fatalf("%d golden objects: %v", len(files), err)
	}
	all := map[string][]byte{}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".json")] = data
	}
	return all
}

func TestJSONDecodesEveryKindAsKubernetesDoes(t *testing.T) {
	objects := golden(t)
	if len(objects) != len(kinds) {
		t.Fatalf("%d golden objects, %d kinds: run go generate", len(objects), len(kinds))
	}
	for name, data := range objects {
		var compact bytes.Buffer
		if err := json.Compact(&compact, data); err != nil {
			t.Fatal(err)
		}
		for form, data := range map[string][]byte{"as it stands": data, "as the server sends it": compact.Bytes()} {
			if difference := kinds[name](data); difference != "" {
				t.Errorf("%s, %s: %s", name, form, difference)
			}
		}
	}
}

// mutations are what peers do to fields, wittingly or not. Both decoders have
// to agree on each, be it an error.
var mutations = map[string]func(key, value string) (string, string){
	"null":             func(key, _ string) (string, string) { return key, `null` },
	"another case":     func(key, value string) (string, string) { return strings.ToUpper(key[:2]) + key[2:], value },
	"escaped key":      func(key, value string) (string, string) { return fmt.Sprintf(`"\u%04x`, key[1]) + key[2:], value },
	"an unknown field": func(key, value string) (string, string) { return `"x-unknown":{"a":[1,{"b":-0.5e-3}]},` + key, value },
	"twice":            func(key, value string) (string, string) { return key + `:` + value + `,` + key, value },
	"a string":         func(key, _ string) (string, string) { return key, `"text"` },
	"empty string":     func(key, _ string) (string, string) { return key, `""` },
	"an integer":       func(key, _ string) (string, string) { return key, `7` },
	"a large integer":  func(key, _ string) (string, string) { return key, `9007199254740993` },
	"beyond int64":     func(key, _ string) (string, string) { return key, `9223372036854775808` },
	"a fraction":       func(key, _ string) (string, string) { return key, `1.5` },
	"an exponent":      func(key, _ string) (string, string) { return key, `1e3` },
	"a flag":           func(key, _ string) (string, string) { return key, `true` },
	"an object":        func(key, _ string) (string, string) { return key, `{"k":"v"}` },
	"empty object":     func(key, _ string) (string, string) { return key, `{}` },
	"an array":         func(key, _ string) (string, string) { return key, `["a"]` },
	"empty array":      func(key, _ string) (string, string) { return key, `[]` },
	"array of null":    func(key, _ string) (string, string) { return key, `[null]` },
	"surrogates":       func(key, _ string) (string, string) { return key, `"\ud83d\ude00 \ud800"` },
	"a time":           func(key, _ string) (string, string) { return key, `"2024-02-30T00:00:00Z"` },
}

// Each mutation is applied to fields at random depths of every kind.
func TestJSONJudgesDamagedObjectsAsKubernetesDoes(t *testing.T) {
	const rounds = 3 // of each mutation on each kind
	random := rand.New(rand.NewPCG(7, 7))
	tried, different := 0, map[string]int{}
	for name, data := range golden(t) {
		var compact bytes.Buffer
		if err := json.Compact(&compact, data); err != nil {
			t.Fatal(err)
		}
		fields := membersOf(compact.Bytes())
		for mutation, change := range mutations {
			for range rounds {
				m := fields[random.IntN(len(fields))]
				key, value := change(string(compact.Bytes()[m.key:m.colon]), string(compact.Bytes()[m.colon+1:m.end]))
				damaged := string(compact.Bytes()[:m.key]) + key + ":" + value + string(compact.Bytes()[m.end:])
				tried++
				difference := kinds[name]([]byte(damaged))
				if difference == "" {
					continue
				}
				if different[mutation]++; different[mutation] <= 3 {
					t.Errorf("%s, %s %s: %s", name, compact.Bytes()[m.key:m.colon], mutation, difference)
				}
			}
		}
	}
	t.Logf("%d damaged objects", tried)
	if len(different) > 0 {
		t.Errorf("differences by mutation: %v", different)
	}
}

// span is one member of an object in compact JSON: where its key, the colon
// and the byte after its value are.
type span struct{ key, colon, end int }

// membersOf finds every member at every depth.
func membersOf(data []byte) []span {
	var all []span
	value(data, 0, &all)
	return all
}

func value(data []byte, i int, all *[]span) (end int) {
	switch data[i] {
	case '{', '[':
		object := data[i] == '{'
		for i++; data[i] != '}' && data[i] != ']'; {
			if data[i] == ',' {
				i++
			}
			if !object {
				i = value(data, i, all)
				continue
			}
			m := span{key: i, colon: text(data, i)}
			m.end = value(data, m.colon+1, all)
			*all = append(*all, m)
			i = m.end
		}
		return i + 1
	case '"':
		return text(data, i)
	}
	for i < len(data) && !strings.ContainsRune(",]}", rune(data[i])) {
		i++
	}
	return i
}

func text(data []byte, i int) (end int) {
	for i++; data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i + 1
}
