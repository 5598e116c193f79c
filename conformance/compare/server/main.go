// Server is the load server as a process of its own: server N K serves N pods of K kinds on loopback until its input ends; as server N K list,
// without watch-list.
package main

import (
	"crypto/tls"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/rawwatch/rawwatch/conformance/compare/load"
	"github.com/rawwatch/rawwatch/conformance/compare/protocol"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("server: ")
	byList := len(os.Args) == 4 && os.Args[3] == "list"
	if len(os.Args) != 3 && !byList {
		log.Fatal("usage: server N K [list]")
	}
	if err := run(os.Args[1], os.Args[2], byList); err != nil {
		log.Fatal(err)
	}
}

func run(objects, ofKinds string, byList bool) error {
	n, err := strconv.Atoi(objects)
	if err != nil {
		return err
	}
	kinds, err := strconv.Atoi(ofKinds)
	if err != nil {
		return err
	}
	s, err := load.NewServer(n, max(kinds, 1))
	if err != nil {
		return err
	}
	s.NoWatchList = byList
	where, err := listen(s)
	if err != nil {
		return err
	}
	return protocol.Serve(os.Stdin, os.Stdout, func(c protocol.Command, _ func(protocol.Answer)) (protocol.Answer, error) {
		return do(s, where, c)
	})
}

// listen serves plain HTTP and TLS until the process ends, and returns where.
func listen(s *load.Server) (protocol.Answer, error) {
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return protocol.Answer{}, err
	}
	secure, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return protocol.Answer{}, err
	}
	certificate, ca, err := load.Certificate()
	if err != nil {
		return protocol.Answer{}, err
	}
	// Two servers: one that has served plain HTTP offers h2 over TLS and then does not speak it.
	open := &http.Server{Handler: s, ConnState: s.ConnState}
	closed := &http.Server{Handler: s, ConnState: s.ConnState, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}}
	go func() { log.Fatal(open.Serve(plain)) }()
	go func() { log.Fatal(closed.ServeTLS(secure, "", "")) }()
	return protocol.Answer{URL: "http://" + plain.Addr().String(), TLSURL: "https://" + secure.Addr().String(), CA: ca}, nil
}

func do(s *load.Server, where protocol.Answer, c protocol.Command) (protocol.Answer, error) {
	switch c.Do {
	case "connect":
		return where, nil
	case "await":
		return protocol.Answer{}, s.Await(c.Count, 5*time.Minute)
	case "burst":
		return protocol.Answer{At: s.Burst(c.Count).UnixNano()}, nil
	case "steady":
		var a protocol.Answer
		for _, t := range s.Steady(c.Rate, c.Count) {
			a.Times = append(a.Times, t.UnixNano())
		}
		return a, nil
	case "expire":
		s.Expire()
		return protocol.Answer{}, nil
	case "connections":
		open, most := s.Connections()
		return protocol.Answer{Open: open, Most: most}, nil
	}
	return protocol.Answer{}, fmt.Errorf("unknown command %q", c.Do)
}
