package execplugin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// limited keeps what is written up to a bound; the write beyond it fails, which ends the program's pipe.
type limited struct {
	max  int // negative is none
	data []byte
	over bool
}

var errTooMuch = errors.New("more output than allowed")

func (l *limited) Write(b []byte) (int, error) {
	if l.max >= 0 && len(l.data)+len(b) > l.max {
		l.over = true
		return 0, errTooMuch
	}
	l.data = append(l.data, b...)
	return len(b), nil
}

const (
	maxTail = 1 << 10  // how much of standard error is kept for an error's text
	maxKept = 64 << 10 // and how much of it is looked through for secrets: half of one is not recognised
)

// tail keeps the end of what is written, and shows it line by line as it comes. Lines are shown whole or not at all, so that a secret in them is found.
type tail struct {
	show io.Writer
	mask func(string) string
	kept []byte
	cut  bool   // kept begins in the middle of a line
	line []byte // the one that has not ended
	long bool   // it began more than maxKept bytes ago
}

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - maxKept; over > 0 {
		t.cut = true
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	if t.show == nil {
		return len(b), nil
	}
	t.line = append(t.line, b...)
	for {
		line, rest, ended := bytes.Cut(t.line, []byte("\n"))
		if t.long = t.long || len(line) > maxKept; t.long {
			line = nil
		}
		if !ended {
			t.line = line
			return len(b), nil
		}
		t.print(line)
		t.line = rest
	}
}

// flush shows a last line without an end.
func (t *tail) flush() {
	if t.show != nil && (len(t.line) > 0 || t.long) {
		t.print(t.line)
		t.line = nil
	}
}

func (t *tail) print(line []byte) {
	text := t.mask(escape(strings.TrimRight(string(line), "\r"), ""))
	if t.long {
		text, t.long = fmt.Sprintf("(a line of more than %d bytes)", maxKept), false
	}
	_, _ = io.WriteString(t.show, text+"\n") // whoever looks may have gone
}

// text is the end of what was said, in one line.
func (t *tail) text() string {
	kept := t.kept
	if t.cut {
		_, kept, _ = bytes.Cut(kept, []byte("\n")) // what is there of the first line may be the end of a secret
	}
	text := t.mask(escape(strings.TrimSpace(string(kept)), " | "))
	over := len(text) - maxTail
	if over > 0 {
		text = text[over:]
	}
	if t.cut || over > 0 {
		text = "..." + text
	}
	return text
}

// escape makes a foreign text fit for a terminal: printable ASCII, line ends as the caller says, the rest as \xXX.
func escape(s, lineEnd string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n' && lineEnd != "":
			b.WriteString(lineEnd)
		case c == '\r' && i+1 < len(s) && s[i+1] == '\n':
		case c >= ' ' && c < 0x7f:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return b.String()
}
