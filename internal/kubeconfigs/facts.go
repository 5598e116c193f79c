package kubeconfigs

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/rawwatch/rawwatch/rest"
)

// Facts are what a configuration means, in whatever form it was given. Two readers agree where their facts do.
type Facts struct {
	Server, Namespace  string
	CA                 string // PEM; "" is the system's roots
	ServerName         string
	Insecure           bool
	Token              string
	TokenIsRead        bool // from a file, again and again
	Username, Password string
	HasBasic           bool
	Cert               string // PEM
	Exec               string // command and arguments of the plugin
	Impersonate        rest.Impersonation
	Proxy              string
	DisableCompression bool
}

// Of returns the facts of what LoadConfig made of a case; files are read.
func (p Placed) Of(c rest.Config) (f Facts, err error) {
	f = Facts{
		Server: c.Server, Namespace: c.Namespace, ServerName: c.TLSServerName, Insecure: c.InsecureSkipTLSVerify,
		Username: c.Username, Password: c.Password, HasBasic: c.Username != "" || c.Password != "", DisableCompression: c.DisableCompression,
		Impersonate: c.Impersonate,
	}
	if c.Credentials != nil {
		f.Exec = p.exec.command
	}
	for _, part := range []struct {
		into *string
		data []byte
		file string
	}{{&f.CA, c.CAData, c.CAFile}, {&f.Cert, c.CertData, c.CertFile}} {
		if part.file != "" {
			if part.data, err = os.ReadFile(part.file); err != nil {
				return f, err
			}
		}
		*part.into = string(part.data)
	}
	if c.Token != nil {
		f.TokenIsRead = c.TokenRejected != nil
		if f.Token, err = c.Token(context.Background()); err != nil {
			return f, err
		}
	}
	return f, f.Ask(c.Proxy)
}

// Ask sets the proxy for the server.
func (f *Facts) Ask(proxy func(*url.URL) (*url.URL, error)) error {
	target, err := url.Parse(f.Server)
	if err != nil || proxy == nil {
		return err
	}
	answer, err := proxy(target)
	if answer != nil {
		f.Proxy = answer.String()
	}
	return err
}

// Line writes facts as a row of the table wants them; files are the names by content.
func (f Facts) Line(files map[string]string) string {
	named := func(pem string) string {
		if name, ok := files[pem]; ok {
			return name
		}
		return fmt.Sprintf("unknown %q", pem)
	}
	server := strings.TrimSuffix(f.Server, "/")
	if scheme, rest, ok := strings.Cut(server, "://"); ok {
		server = strings.ToLower(scheme) + "://" + rest
	}
	columns := []string{server, f.credentials(named), f.Namespace, f.trust(server, named)}
	var more []string
	if i := f.Impersonate; i.User != "" || i.UID != "" || len(i.Groups)+len(i.Extra) > 0 {
		more = append(more, fmt.Sprintf("as %s uid %s groups %v extra %v", i.User, i.UID, i.Groups, i.Extra))
	}
	if f.Proxy != "" {
		more = append(more, "proxy "+f.Proxy)
	}
	if f.DisableCompression {
		more = append(more, "no compression")
	}
	if more != nil {
		columns = append(columns, strings.Join(more, ", "))
	}
	return strings.Join(columns, " | ")
}

func (f Facts) credentials(named func(string) string) string {
	var all []string
	if f.Token != "" {
		token := "token " + strings.Trim(fmt.Sprintf("%q", f.Token), `"`)
		if f.TokenIsRead {
			token += ", read again"
		}
		all = append(all, token)
	}
	if f.HasBasic {
		all = append(all, "basic "+f.Username+"/"+f.Password)
	}
	if f.Exec != "" {
		all = append(all, "exec "+f.Exec)
	}
	if f.Cert != "" {
		all = append(all, "certificate "+named(f.Cert))
	}
	if all == nil {
		return "none"
	}
	return strings.Join(all, " and ")
}

func (f Facts) trust(server string, named func(string) string) string {
	var trust string
	switch {
	case !strings.HasPrefix(server, "https://"):
		return "no TLS"
	case f.Insecure:
		trust = "anything"
	case f.CA == "":
		trust = "system roots"
	default:
		trust = named(f.CA)
	}
	if f.ServerName != "" {
		trust += " for " + f.ServerName
	}
	return trust
}
