// Floor links what every program that talks to an API server links, whatever library it uses: TLS, a JSON decoder, the
// rules of HTTP, proxies, selectors, kubeconfig's YAML and client certificates, gzip and a logger. The size of podwatch is
// compared with it.
package main

import (
	"compress/gzip"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/url"
	"os"

	jsoniter "github.com/json-iterator/go"
	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http/httpproxy"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/yaml"
)

type object struct {
	Metadata struct{ Name string }
}

func main() {
	if err := run(os.Args[1]); err != nil {
		slog.New(slog.NewTextHandler(os.Stderr, nil)).Error("floor", "error", err)
	}
}

func run(host string) error {
	if !httpguts.ValidHostHeader(host) {
		return fmt.Errorf("%q is no host", host)
	}
	target := &url.URL{Scheme: "https", Host: host, RawQuery: fields.OneTermEqualSelector("metadata.name", "x").String()}
	if proxy, err := httpproxy.FromEnvironment().ProxyFunc()(target); err != nil || proxy != nil {
		return fmt.Errorf("proxy %v: %w", proxy, err)
	}
	certificate, err := tls.X509KeyPair([]byte(os.Getenv("CERTIFICATE")), []byte(os.Getenv("KEY")))
	if err != nil {
		return err
	}
	conn, err := tls.Dial("tcp", host, &tls.Config{Certificates: []tls.Certificate{certificate}})
	if err != nil {
		return err
	}
	defer conn.Close()
	body, err := gzip.NewReader(conn)
	if err != nil {
		return err
	}
	var o object
	if err := jsoniter.ConfigCompatibleWithStandardLibrary.NewDecoder(body).Decode(&o); err != nil {
		return err
	}
	return yaml.Unmarshal([]byte(o.Metadata.Name), &o)
}
