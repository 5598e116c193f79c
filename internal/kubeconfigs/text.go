package kubeconfigs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// text is the content of a file of the table.
func text(content any) string {
	if s, ok := content.(string); ok {
		return s
	}
	var b strings.Builder
	block(&b, content, "")
	return b.String()
}

// block writes YAML as kubectl lays it out, but every string in quotes.
func block(b *strings.Builder, value any, indent string) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(indent + scalar(key) + ":")
			below(b, v[key], indent+"  ")
		}
	case []any:
		for _, item := range v {
			b.WriteString(indent + "-")
			below(b, item, indent+"  ")
		}
	default:
		b.WriteString(indent + scalar(v) + "\n")
	}
}

func below(b *strings.Builder, value any, indent string) {
	switch v := value.(type) {
	case map[string]any:
		if len(v) > 0 {
			b.WriteString("\n")
			block(b, v, indent)
			return
		}
	case []any:
		if len(v) > 0 {
			b.WriteString("\n")
			block(b, v, indent)
			return
		}
	}
	b.WriteString(" " + scalar(value) + "\n")
}

// scalar writes a value as JSON, which YAML understands, but keys and placeholders as they stand.
func scalar(value any) string {
	if s, ok := value.(string); ok && strings.HasPrefix(s, "@") && strings.HasSuffix(s, "@") {
		return s
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("the table: %v", err))
	}
	return string(text)
}

// grow writes out what would be too long for the table: @REPEAT(n,text)@, @UTF16(text)@, and @LAUGHS(from,to)@, lists of eight aliases of the last.
func grow(s string) string {
	before, rest, ok := strings.Cut(s, "@REPEAT(")
	if ok {
		inside, after, _ := strings.Cut(rest, ")@")
		n, what, _ := strings.Cut(inside, ",")
		return before + strings.Repeat(what, number(n)) + after
	}
	if before, rest, ok = strings.Cut(s, "@LAUGHS("); ok {
		inside, after, _ := strings.Cut(rest, ")@")
		from, to, _ := strings.Cut(inside, ",")
		var b strings.Builder
		for i := number(from); i <= number(to); i++ {
			aliases := strings.Repeat(fmt.Sprintf("*a%d,", i-1), 8)
			fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(aliases, ","))
		}
		return before + b.String() + after
	}
	if before, rest, ok = strings.Cut(s, "@UTF16("); ok {
		inside, after, _ := strings.Cut(rest, ")@")
		var b strings.Builder
		for i := range len(inside) {
			b.Write([]byte{inside[i], 0})
		}
		return before + "\xff\xfe" + b.String() + after
	}
	return s
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic("the table: " + err.Error())
	}
	return n
}
