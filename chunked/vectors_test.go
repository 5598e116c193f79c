package chunked

import "strings"

// vector is a body, with what a strict reader makes of it. Bodies that are accepted are followed by next in the tests, which must stay unread.
type vector struct {
	name string
	wire string
	want string // content before the end or the breach
	// rule is empty for a body that is accepted; "cut" for one that lacks its end; else the beginning of the rule.
	rule    string
	section string
	offset  int64 // of the breach
}

const hello = "5\r\nhello\r\n"

// The vectors of public catalogues (the llhttp and httparse suites, "Funky Chunks", the CVEs of section 7.1) on which HTTP clients disagree, with our
// verdict, and each production of the grammar from both sides.
var vectors = []vector{
	// Sizes (RFC 9112 7.1).
	{name: "one chunk", wire: hello + "0\r\n\r\n", want: "hello"},
	{name: "no content at all", wire: "0\r\n\r\n"},
	{name: "two chunks", wire: hello + "6\r\n world\r\n0\r\n\r\n", want: "hello world"},
	{name: "content that looks like framing", wire: "9\r\n\r\n0\r\n\r\n\r\n\r\n0\r\n\r\n", want: "\r\n0\r\n\r\n\r\n"},
	{name: "digits in both cases", wire: "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", want: "01234567890123456789"},
	{name: "the last digits", wire: "f\r\n0123456789abcde\r\nF\r\n0123456789abcde\r\n09\r\n012345678\r\n0\r\n\r\n", want: "0123456789abcde0123456789abcde012345678"},
	{name: "leading zeros", wire: "005\r\nhello\r\n000\r\n\r\n", want: "hello"},
	{name: "sixteen digits", wire: "0000000000000005\r\nhello\r\n0000000000000000\r\n\r\n", want: "hello"},
	{name: "seventeen digits", wire: "00000000000000005\r\nhello\r\n0\r\n\r\n", rule: "a chunk size of more than 16 digits", section: limits, offset: 16},
	{name: "2^40, the default maximum", wire: "10000000000\r\nh", want: "h", rule: "cut within a chunk's data", section: "RFC 9112 8", offset: 14},
	{name: "2^40 + 1", wire: "10000000001\r\nh", rule: "a chunk larger than the limit", section: limits, offset: 10},
	{name: "2^63", wire: "8000000000000000\r\nh", rule: "a chunk larger than the limit", section: limits, offset: 10},
	{name: "2^64 - 1", wire: "ffffffffffffffff\r\nh", rule: "a chunk larger than the limit", section: limits, offset: 10},
	{name: "2^64 + 5, which overflows to five", wire: "10000000000000005\r\nhello\r\n0\r\n\r\n", rule: "a chunk larger than the limit", section: limits, offset: 11},
	{name: "no size", wire: "\r\nhello\r\n0\r\n\r\n", rule: "a chunk size begins with", section: framing},
	{name: "plus sign", wire: "+5\r\nhello\r\n0\r\n\r\n", rule: "a chunk size begins with", section: framing},
	{name: "minus sign", wire: "-5\r\nhello\r\n0\r\n\r\n", rule: "a chunk size begins with", section: framing},
	{name: "0x", wire: "0x5\r\nhello\r\n0\r\n\r\n", rule: "a chunk size is followed by", section: framing, offset: 1},
	{name: "underscore", wire: "0_5\r\nhello\r\n0\r\n\r\n", rule: "a chunk size is followed by", section: framing, offset: 1},
	{name: "not hexadecimal", wire: "5g\r\nhello\r\n0\r\n\r\n", rule: "a chunk size is followed by", section: framing, offset: 1},
	{name: "fraction", wire: "5.0\r\nhello\r\n0\r\n\r\n", rule: "a chunk size is followed by", section: framing, offset: 1},
	{name: "blank before the size", wire: " 5\r\nhello\r\n0\r\n\r\n", rule: "a chunk size begins with", section: framing},
	{name: "tab before the size", wire: "\t5\r\nhello\r\n0\r\n\r\n", rule: "a chunk size begins with", section: framing},
	{name: "blanks after the size", wire: "5  \r\nhello\r\n0\r\n\r\n", rule: "blanks are followed by", section: extensions, offset: 3},
	{name: "two sizes", wire: "5 5\r\nhello\r\n0\r\n\r\n", rule: "blanks are followed by", section: extensions, offset: 2},
	{name: "digits of Unicode", wire: "\uff15\r\nhello\r\n0\r\n\r\n", rule: "a chunk size begins with", section: framing},
	{name: "NUL after the size", wire: "5\x00\r\nhello\r\n0\r\n\r\n", rule: "a chunk size is followed by", section: framing, offset: 1},
	{name: "an empty line before the size", wire: hello + "\r\n0\r\n\r\n", want: "hello", rule: "a chunk size begins with", section: framing, offset: 10},

	// Line ends (RFC 9112 2.2, 7.1; errata 7633; CVE-2025-22871).
	{name: "size line ends with LF", wire: "5\nhello\r\n0\r\n\r\n", rule: "a chunk's line ends with LF alone", section: framing, offset: 1},
	{name: "size line ends with CR", wire: "5\rhello\r\n0\r\n\r\n", rule: "CR without LF in a chunk's line", section: framing, offset: 2},
	{name: "size line ends with CR CR LF", wire: "5\r\r\nhello\r\n0\r\n\r\n", rule: "CR without LF in a chunk's line", section: framing, offset: 2},
	{name: "size line ends with LF CR", wire: "5\n\rhello\r\n0\r\n\r\n", rule: "a chunk's line ends with LF alone", section: framing, offset: 1},
	{name: "data ends with LF", wire: "5\r\nhello\n0\r\n\r\n", want: "hello", rule: "a chunk's data is followed by CRLF", section: framing, offset: 8},
	{name: "data ends with CR", wire: "5\r\nhello\r0\r\n\r\n", want: "hello", rule: "a chunk's data is followed by CRLF", section: framing, offset: 9},
	{name: "data ends with two other bytes", wire: "5\r\nhelloXX0\r\n\r\n", want: "hello", rule: "a chunk's data is followed by CRLF", section: framing, offset: 8},
	{name: "data ends with another byte and LF", wire: "5\r\nhelloX\n0\r\n\r\n", want: "hello", rule: "a chunk's data is followed by CRLF", section: framing, offset: 8},
	{name: "data ends with CR and another byte", wire: "5\r\nhello\rX0\r\n\r\n", want: "hello", rule: "a chunk's data is followed by CRLF", section: framing, offset: 9},
	{name: "data ends with nothing", wire: "5\r\nhello0\r\n\r\n", want: "hello", rule: "a chunk's data is followed by CRLF", section: framing, offset: 8},
	{name: "data is longer than its size", wire: "5\r\nhello!\r\n0\r\n\r\n", want: "hello", rule: "a chunk's data is followed by CRLF", section: framing, offset: 8},
	{name: "data is shorter than its size", wire: "6\r\nhello\r\n0\r\n\r\n", want: "hello\r", rule: "a chunk's data is followed by CRLF", section: framing, offset: 9},
	{name: "last line ends with LF", wire: hello + "0\n\r\n", want: "hello", rule: "a chunk's line ends with LF alone", section: framing, offset: 11},
	{name: "final empty line is LF", wire: hello + "0\r\n\n", want: "hello", rule: "a line of the trailer section ends with LF alone", section: trailers, offset: 13},
	{name: "final empty line is CR and a byte", wire: hello + "0\r\n\rX", want: "hello", rule: "CR without LF in the trailer section", section: trailers, offset: 14},

	// Extensions (RFC 9112 7.1.1).
	{name: "extension: name", wire: "5;a\r\nhello\r\n0;b\r\n\r\n", want: "hello"},
	{name: "extension: name and token", wire: "5;a=b\r\nhello\r\n0\r\n\r\n", want: "hello"},
	{name: "extension: several, with and without value", wire: "5;a=b;c;d=e\r\nhello\r\n0\r\n\r\n", want: "hello"},
	{name: "extension: name that begins with a digit", wire: "5;1=2\r\nhello\r\n0\r\n\r\n", want: "hello"},
	{name: "extension: every byte of a token", wire: "5;!#$%&'*+-.^_`|~09azAZ=!#$%&'*+-.^_`|~09azAZ\r\nhello\r\n0\r\n\r\n", want: "hello"},
	{name: "extension: blanks before the semicolon", wire: "5 \t ;a=b\r\nhello\r\n0\r\n\r\n", want: "hello"},
	{name: "extension: blanks wherever the grammar has them", wire: "5 ; \ta = b\t;\tc ;d\t= \"e\" ; f\r\nhello\r\n0\r\n\r\n", want: "hello"},
	{name: "extension: quoted", wire: "5;a=\"b c\"\r\nhello\r\n0\r\n\r\n", want: "hello"},
	{name: "extension: quoted and empty", wire: "5;a=\"\"\r\nhello\r\n0\r\n\r\n", want: "hello"},
	{name: "extension: semicolon and size in quotes", wire: "5;a=\";0 =5\"\r\nhello\r\n0\r\n\r\n", want: "hello"},
	{name: "extension: escaped quote and backslash", wire: "5;a=\"b\\\"c\\\\\";d\r\nhello\r\n0\r\n\r\n", want: "hello"},
	{name: "extension: tab and obs-text in quotes", wire: "5;a=\"\t\x80\xff\"\r\nhello\r\n0\r\n\r\n", want: "hello"},
	{name: "extension: nothing after the semicolon", wire: "5;\r\nhello\r\n0\r\n\r\n", rule: "a semicolon is followed by", section: extensions, offset: 2},
	{name: "extension: blanks after the semicolon", wire: "5; \r\nhello\r\n0\r\n\r\n", rule: "a semicolon is followed by", section: extensions, offset: 3},
	{name: "extension: two semicolons", wire: "5;;a\r\nhello\r\n0\r\n\r\n", rule: "a semicolon is followed by", section: extensions, offset: 2},
	{name: "extension: semicolon at the end", wire: "5;a;\r\nhello\r\n0\r\n\r\n", rule: "a semicolon is followed by", section: extensions, offset: 4},
	{name: "extension: value without name", wire: "5;=b\r\nhello\r\n0\r\n\r\n", rule: "a semicolon is followed by", section: extensions, offset: 2},
	{name: "extension: equals sign without value", wire: "5;a=\r\nhello\r\n0\r\n\r\n", rule: "an equals sign is followed by", section: extensions, offset: 4},
	{name: "extension: equals sign and semicolon", wire: "5;a=;b\r\nhello\r\n0\r\n\r\n", rule: "an equals sign is followed by", section: extensions, offset: 4},
	{name: "extension: two words", wire: "5;a=b c\r\nhello\r\n0\r\n\r\n", rule: "blanks are followed by", section: extensions, offset: 6},
	{name: "extension: two names", wire: "5;a b\r\nhello\r\n0\r\n\r\n", rule: "blanks are followed by", section: extensions, offset: 4},
	{name: "extension: two values", wire: "5;a=b=c\r\nhello\r\n0\r\n\r\n", rule: "an extension is made of tokens", section: extensions, offset: 5},
	{name: "extension: blanks at the end", wire: "5;a \r\nhello\r\n0\r\n\r\n", rule: "blanks are followed by", section: extensions, offset: 4},
	{name: "extension: blanks at the end, after a value", wire: "5;a=b \r\nhello\r\n0\r\n\r\n", rule: "blanks are followed by", section: extensions, offset: 6},
	{name: "extension: a second equals sign after blanks", wire: "5;a=b =c\r\nhello\r\n0\r\n\r\n", rule: "blanks are followed by", section: extensions, offset: 6},
	{name: "extension: not a token", wire: "5;a(b\r\nhello\r\n0\r\n\r\n", rule: "an extension is made of tokens", section: extensions, offset: 3},
	{name: "extension: quoted name", wire: "5;\"a\"=b\r\nhello\r\n0\r\n\r\n", rule: "a semicolon is followed by", section: extensions, offset: 2},
	{name: "extension: quote within a token", wire: "5;a=b\"c\"\r\nhello\r\n0\r\n\r\n", rule: "an extension is made of tokens", section: extensions, offset: 5},
	{name: "extension: token after quotes", wire: "5;a=\"b\"c\r\nhello\r\n0\r\n\r\n", rule: "a quoted string is followed by", section: extensions, offset: 7},
	{name: "extension: obs-text outside quotes", wire: "5;a=\x80\r\nhello\r\n0\r\n\r\n", rule: "an equals sign is followed by", section: extensions, offset: 4},
	{name: "extension: NUL", wire: "5;a\x00\r\nhello\r\n0\r\n\r\n", rule: "an extension is made of tokens", section: extensions, offset: 3},
	{name: "extension: NUL in quotes", wire: "5;a=\"\x00\"\r\nhello\r\n0\r\n\r\n", rule: "a control in a quoted string", section: extensions, offset: 5},
	{name: "extension: escaped NUL", wire: "5;a=\"\\\x00\"\r\nhello\r\n0\r\n\r\n", rule: "a control in a quoted string", section: extensions, offset: 6},
	{name: "extension: DEL in quotes", wire: "5;a=\"\x7f\"\r\nhello\r\n0\r\n\r\n", rule: "a control in a quoted string", section: extensions, offset: 5},
	{name: "extension: unbalanced quote at CRLF", wire: "5;a=\"b\r\nhello\r\n0\r\n\r\n", rule: "a quoted string that does not end", section: extensions, offset: 6},
	{name: "extension: unbalanced quote, closed on another line", wire: "5;a=\"b\r\nhello\r\n0;\"\r\n\r\n", rule: "a quoted string that does not end", section: extensions, offset: 6},
	{name: "extension: escaped CR", wire: "5;a=\"b\\\r\nhello\r\n0\r\n\r\n", rule: "a quoted string that does not end", section: extensions, offset: 7},
	{name: "extension: LF (TERM.EXT)", wire: "5;a\nhello\r\n0\r\n\r\n", rule: "a chunk's line ends with LF alone", section: framing, offset: 3},
	{name: "extension: LF, then CRLF (EXT.TERM)", wire: "5;\nxx\r\nhello\r\n0\r\n\r\n", rule: "a chunk's line ends with LF alone", section: framing, offset: 2},
	{name: "extension: LF in quotes", wire: "5;a=\"\n\"\r\nhello\r\n0\r\n\r\n", rule: "a chunk's line ends with LF alone", section: framing, offset: 5},
	{name: "extension: CR", wire: "5;a\rb\r\nhello\r\n0\r\n\r\n", rule: "CR without LF in a chunk's line", section: framing, offset: 4},
	{name: "extension without semicolon", wire: "5 a=b\r\nhello\r\n0\r\n\r\n", rule: "blanks are followed by", section: extensions, offset: 2},
	{name: "extension after a comma", wire: "5,a=b\r\nhello\r\n0\r\n\r\n", rule: "a chunk size is followed by", section: framing, offset: 1},

	// Trailers (RFC 9112 7.1.2, 5; RFC 9110 6.5.1).
	{name: "trailer", wire: hello + "0\r\nA: b\r\n\r\n", want: "hello"},
	{name: "trailers", wire: hello + "0\r\nA: b\r\nServer-Timing:c\r\nEmpty:\r\nBlank: \t\r\n\r\n", want: "hello"},
	{name: "trailer: obs-text and tab in the value", wire: hello + "0\r\nA: \x80\tb\r\n\r\n", want: "hello"},
	{name: "trailer: folded, which a user agent reads as blanks", wire: hello + "0\r\nA: b\r\n c\r\n\td\r\nE: f\r\n\r\n", want: "hello"},
	{name: "trailer: digest of the content", wire: hello + "0\r\nContent-Digest: sha-256=:x:\r\nRepr-Digest: y\r\n\r\n", want: "hello"},
	{name: "trailer: a name longer than all that are forbidden", wire: hello + "0\r\n" + strings.Repeat("X", 100) + ": b\r\n\r\n", want: "hello"},
	{name: "trailer: blank before the first name", wire: hello + "0\r\n A: b\r\n\r\n", want: "hello", rule: "a trailer field begins with a name", section: fieldLines, offset: 13},
	{name: "trailer: no name", wire: hello + "0\r\n: b\r\n\r\n", want: "hello", rule: "a trailer field begins with a name", section: fieldLines, offset: 13},
	{name: "trailer: blank before the colon", wire: hello + "0\r\nA : b\r\n\r\n", want: "hello", rule: "a trailer field's name is a token", section: fieldLines, offset: 14},
	{name: "trailer: no colon", wire: hello + "0\r\nA\r\n\r\n", want: "hello", rule: "a trailer field's name is a token", section: fieldLines, offset: 14},
	{name: "trailer: obs-text in the name", wire: hello + "0\r\n\xe9: b\r\n\r\n", want: "hello", rule: "a trailer field begins with a name", section: fieldLines, offset: 13},
	{name: "trailer: another chunk", wire: hello + "0\r\n5\r\nhello\r\n0\r\n\r\n", want: "hello", rule: "a trailer field's name is a token", section: fieldLines, offset: 14},
	{name: "trailer: NUL in the value", wire: hello + "0\r\nA: \x00\r\n\r\n", want: "hello", rule: "a control in a trailer field", section: fieldValue, offset: 16},
	{name: "trailer: DEL in the value", wire: hello + "0\r\nA: \x7f\r\n\r\n", want: "hello", rule: "a control in a trailer field", section: fieldValue, offset: 16},
	{name: "trailer: LF", wire: hello + "0\r\nA: b\n\r\n", want: "hello", rule: "a line of the trailer section ends with LF alone", section: trailers, offset: 17},
	{name: "trailer: CR in the value", wire: hello + "0\r\nA: b\rc\r\n\r\n", want: "hello", rule: "CR without LF in the trailer section", section: trailers, offset: 18},
	{name: "trailer: LF in a fold", wire: hello + "0\r\nA: b\r\n\n\r\n", want: "hello", rule: "a line of the trailer section ends with LF alone", section: trailers, offset: 19},
	{name: "trailer: Content-Length", wire: hello + "0\r\nContent-Length: 5\r\n\r\n", want: "hello", rule: "a field that must not be a trailer field", section: forbidden, offset: 27},
	{name: "trailer: Transfer-Encoding in another case", wire: hello + "0\r\ntRANSFER-eNCODING: chunked\r\n\r\n", want: "hello", rule: "a field that must not be a trailer field", section: forbidden, offset: 30},
	{name: "trailer: second field is forbidden", wire: hello + "0\r\nA: b\r\nHost: c\r\n\r\n", want: "hello", rule: "a field that must not be a trailer field", section: forbidden, offset: 23},

	// Ends (RFC 9112 8).
	{name: "no last chunk", wire: hello, want: "hello", rule: "cut before a chunk", section: "RFC 9112 8", offset: 10},
	{name: "nothing", rule: "cut before a chunk", section: "RFC 9112 8"},
	{name: "no final CRLF", wire: hello + "0\r\n", want: "hello", rule: "cut before the CRLF that ends it", section: "RFC 9112 8", offset: 13},
	{name: "cut in a size", wire: "5", rule: "cut within a chunk's line", section: "RFC 9112 8", offset: 1},
	{name: "cut in data", wire: "5\r\nhel", want: "hel", rule: "cut within a chunk's data", section: "RFC 9112 8", offset: 6},
	{name: "cut after data", wire: "5\r\nhello", want: "hello", rule: "cut before the CRLF after a chunk's data", section: "RFC 9112 8", offset: 8},
	{name: "cut in a trailer", wire: hello + "0\r\nA: b", want: "hello", rule: "cut within the trailer section", section: "RFC 9112 8", offset: 17},
	{name: "cut before the last LF", wire: hello + "0\r\n\r", want: "hello", rule: "cut before the CRLF that ends it", section: "RFC 9112 8", offset: 14},
}
