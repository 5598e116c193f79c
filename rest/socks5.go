package rest

import (
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"strconv"
)

// SOCKS5Func is the type of [SOCKS5].
type SOCKS5Func func(conn io.ReadWriter, proxy *url.URL, host, port string) error

// Values of RFC 1928 and RFC 1929.
const (
	socksVersion      = 5
	socksLoginVersion = 1
	socksNoLogin      = 0x00
	socksLogin        = 0x02
	socksNoMethod     = 0xff
	socksConnect      = 1
	socksIPv4         = 1
	socksName         = 3
	socksIPv6         = 4
)

// SOCKS5 asks the proxy at the other end of conn for a connection to host and port (RFC 1928), with the user and password of the proxy's URL if it has
// them (RFC 1929). Names are resolved by the proxy, whether the scheme is socks5 or socks5h, as net/http and kubectl have it. It reads not one byte
// more than the answer, and returns an *Error of PhaseProxy. It is the value of [Config.SOCKS5].
func SOCKS5(conn io.ReadWriter, proxy *url.URL, host, port string) error {
	s := &socks{conn: conn}
	address, err := socksAddress(host, port)
	if err != nil {
		return err
	}
	if err := s.greet(proxy.User); err != nil {
		return err
	}
	return s.connect(address)
}

// socks is one negotiation: what is written and read in turn. offset counts what the proxy sent.
type socks struct {
	conn   io.ReadWriter
	offset int64
}

// greet agrees on how to log in (RFC 1928 3). Only what can be done is offered, so that the proxy cannot choose to be lenient about a login.
func (s *socks) greet(user *url.Userinfo) error {
	method := byte(socksNoLogin)
	if user != nil {
		method = socksLogin
	}
	answer, err := s.exchange([]byte{socksVersion, 1, method}, 2)
	switch {
	case err != nil:
		return err
	case answer[0] != socksVersion:
		return s.broken(2, "RFC 1928 3", fmt.Sprintf("version %d of SOCKS in place of 5", answer[0]))
	case answer[1] == socksNoMethod:
		return &Error{Phase: PhaseProxy, Err: &SOCKSError{Method: true}}
	case answer[1] != method:
		return s.broken(1, "RFC 1928 3", fmt.Sprintf("method 0x%02x, which was not offered", answer[1]))
	case user != nil:
		return s.login(user)
	}
	return nil
}

// login sends user and password (RFC 1929 2).
func (s *socks) login(user *url.Userinfo) error {
	name := user.Username()
	password, _ := user.Password()
	if len(name) == 0 || len(name) > 255 || len(password) > 255 {
		return &Error{Phase: PhaseConfig, Rule: "the user or the password of a SOCKS proxy has no or more than 255 bytes", Section: "RFC 1929 2"}
	}
	message := append([]byte{socksLoginVersion, byte(len(name))}, name...)
	message = append(append(message, byte(len(password))), password...)
	answer, err := s.exchange(message, 2)
	switch {
	case err != nil:
		return err
	case answer[0] != socksLoginVersion:
		return s.broken(2, "RFC 1929 2", fmt.Sprintf("version %d of the login in place of 1", answer[0]))
	case answer[1] != 0:
		return &Error{Phase: PhaseProxy, Err: &SOCKSError{Login: true, Code: answer[1]}}
	}
	return nil
}

// connect sends the request and reads its answer to the last byte of the bound address, which nobody needs (RFC 1928 4 and 6).
func (s *socks) connect(address []byte) error {
	answer, err := s.exchange(append([]byte{socksVersion, socksConnect, 0}, address...), 4)
	switch {
	case err != nil:
		return err
	case answer[0] != socksVersion:
		return s.broken(4, "RFC 1928 6", fmt.Sprintf("version %d of SOCKS in place of 5", answer[0]))
	case answer[1] != 0:
		return &Error{Phase: PhaseProxy, Err: &SOCKSError{Code: answer[1]}}
	case answer[2] != 0:
		return s.broken(2, "RFC 1928 6", "a reserved byte that is not zero")
	}
	var length int
	switch answer[3] {
	case socksIPv4:
		length = 4
	case socksIPv6:
		length = 16
	case socksName:
		n, err := s.read(1)
		if err != nil {
			return err
		}
		length = int(n[0])
	default:
		return s.broken(1, "RFC 1928 6", fmt.Sprintf("an address of type %d, which there is none of", answer[3]))
	}
	_, err = s.read(length + 2) // and the port
	return err
}

// exchange writes a message and reads the first n bytes of its answer.
func (s *socks) exchange(message []byte, n int) ([]byte, error) {
	if _, err := s.conn.Write(message); err != nil {
		return nil, &Error{Phase: PhaseProxy, Err: err}
	}
	return s.read(n)
}

func (s *socks) read(n int) ([]byte, error) {
	b := make([]byte, n) // at most 257
	read, err := io.ReadFull(s.conn, b)
	s.offset += int64(read)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // an answer is owed
	}
	if err != nil {
		return nil, &Error{Phase: PhaseProxy, Err: err, Offset: s.offset}
	}
	return b, nil
}

const hintNoSOCKS = "no SOCKS5 proxy listens there; check the proxy's scheme and address"

// broken is an answer against the protocol; its byte at fault is so many before the end of what was read.
func (s *socks) broken(back int64, section, rule string) error {
	return &Error{Phase: PhaseProxy, Section: section, Rule: rule, Offset: s.offset - back, protocol: true, hint: hintNoSOCKS}
}

// socksAddress is a target in a request: type, address, port (RFC 1928 4 and 5).
func socksAddress(host, port string) ([]byte, error) {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, configError("a port that is none, "+quote(port), nil)
	}
	var b []byte
	ip, err := netip.ParseAddr(host)
	switch {
	case err == nil && ip.Zone() != "":
		return nil, configError("an IPv6 zone means nothing to a proxy, "+quote(host), nil)
	case err == nil && ip.Is4():
		b = append([]byte{socksIPv4}, ip.AsSlice()...)
	case err == nil:
		b = append([]byte{socksIPv6}, ip.AsSlice()...)
	case len(host) == 0 || len(host) > 255:
		return nil, configError("a host of no or more than 255 bytes", nil)
	default:
		b = append([]byte{socksName, byte(len(host))}, host...)
	}
	return append(b, byte(n>>8), byte(n)), nil
}

// SOCKSError is a SOCKS proxy's refusal. The API server has not answered.
type SOCKSError struct {
	Code   byte // of the answer to the request (RFC 1928 6), or of the login (RFC 1929 2)
	Method bool // the proxy wants another kind of login, or one at all
	Login  bool // user or password are wrong
}

// Error implements error.
func (e *SOCKSError) Error() string {
	switch {
	case e.Method:
		return "the SOCKS proxy accepts none of the logins that were offered"
	case e.Login:
		return fmt.Sprintf("the SOCKS proxy refused user and password (status %d)", e.Code)
	}
	replies := [...]string{
		"succeeded", "general failure", "not allowed by its rules", "network unreachable", "host unreachable", "connection refused",
		"TTL expired", "command not supported", "address type not supported",
	}
	if int(e.Code) < len(replies) {
		return "the SOCKS proxy made no connection: " + replies[e.Code]
	}
	return fmt.Sprintf("the SOCKS proxy made no connection: reply 0x%02x", e.Code)
}
