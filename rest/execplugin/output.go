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

// maxTail is how much of standard error is kept for an error's text.
const maxTail = 1 << 10

// tail keeps the end of what is written, and shows it line by line as it comes.
type tail struct {
	show io.Writer
	mask func(string) string
	kept []byte
	line []byte // the one that has not ended
	cut  bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - maxTail; over > 0 {
		t.cut = true
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	if t.show == nil {
		return len(b), nil
	}
	t.line = append(t.line, b...)
	for {
		line, rest, ended := bytes.Cut(t.line, []byte("\n"))
		if !ended && len(line) < maxTail {
			return len(b), nil
		}
		t.print(line)
		t.line = rest
	}
}

// flush shows a last line without an end.
func (t *tail) flush() {
	if t.show != nil && len(t.line) > 0 {
		t.print(t.line)
		t.line = nil
	}
}

func (t *tail) print(line []byte) {
	_, _ = io.WriteString(t.show, t.mask(escape(strings.TrimRight(string(line), "\r"), ""))+"\n") // whoever looks may have gone
}

// text is the end of what was said, in one line.
func (t *tail) text() string {
	text := t.mask(escape(strings.TrimSpace(string(t.kept)), " | "))
	if t.cut {
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
