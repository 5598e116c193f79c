package listwatch

import (
	"bufio"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/internal/memnet"
	"github.com/rawwatch/rawwatch/rest"
)

// BenchmarkEvents is the way of one event of 4.5 KB from the connection to the loop body: wire, framing, identity, machine and driver.
func BenchmarkEvents(b *testing.B) {
	network := memnet.New()
	network.BufferSize = 1 << 20
	l := network.Listen()
	defer l.Close()
	go serveEvents(l)
	client, err := rest.NewClient(rest.Config{Server: "http://127.0.0.1:1", Dial: network.Dial})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	r := New(client, Options{Resource: rest.Pods, List: rest.ListOptions{ResourceVersion: "1"}})
	b.SetBytes(int64(len(benchEvent(1))))
	b.ReportAllocs()
	seen := 0
	for range r.Events(b.Context()) {
		if seen++; seen == 1000 {
			b.ResetTimer()
		}
		if seen == 1000+b.N {
			break
		}
	}
}

// serveEvents answers the probe, then sends events without end.
func serveEvents(l net.Listener) {
	conn, err := l.Accept()
	if err != nil {
		return
	}
	defer conn.Close()
	request := textproto.NewReader(bufio.NewReader(conn))
	list := `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`
	for i := range 2 {
		if _, err := request.ReadLine(); err != nil {
			return
		}
		if _, err := request.ReadMIMEHeader(); err != nil {
			return
		}
		if i == 0 {
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(list), list)
		}
	}
	fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
	event := benchEvent(2) // one version for all: several objects may have changed in one
	chunk := fmt.Appendf(nil, "%x\r\n%s\r\n", len(event), event)
	for {
		if _, err := conn.Write(chunk); err != nil {
			return
		}
	}
}

func benchEvent(version int) string {
	return fmt.Sprintf(`{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"default","uid":"u","resourceVersion":"%010d"},"spec":{"text":"%s"}}}`+"\n",
		version+1_000_000_000, strings.Repeat("x, [y] ", 640))
}
