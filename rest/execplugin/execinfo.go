package execplugin

import (
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/rawwatch/rawwatch/rest"
)

// infoVariable tells a plugin what is wanted of it.
const infoVariable = "KUBERNETES_EXEC_INFO"

// clusterExtension is the name under which a kubeconfig's cluster keeps what is for the plugin.
const clusterExtension = "client.authentication.k8s.io/exec"

// maxCA bounds the authorities that are read for a plugin.
const maxCA = 1 << 20

type infoObject struct {
	Kind       string   `json:"kind"`
	APIVersion string   `json:"apiVersion"`
	Spec       infoSpec `json:"spec"`
}

type infoSpec struct {
	Cluster     *infoCluster `json:"cluster,omitempty"`
	Interactive bool         `json:"interactive"`
}

type infoCluster struct {
	Server                string          `json:"server"`
	TLSServerName         string          `json:"tls-server-name,omitempty"`
	InsecureSkipTLSVerify bool            `json:"insecure-skip-tls-verify,omitempty"`
	CAData                []byte          `json:"certificate-authority-data,omitempty"`
	ProxyURL              string          `json:"proxy-url,omitempty"`
	DisableCompression    bool            `json:"disable-compression,omitempty"`
	Config                json.RawMessage `json:"config,omitempty"`
}

// execInfo is the value of KUBERNETES_EXEC_INFO. The cluster is in it only when the entry asks for that: authorities may be larger than an environment
// can hold.
func execInfo(c Config, interactive bool, cluster *rest.ExecCluster) (string, error) {
	info := infoObject{Kind: "ExecCredential", APIVersion: c.APIVersion, Spec: infoSpec{Interactive: interactive}}
	if c.ProvideClusterInfo {
		if cluster == nil {
			return "", errorf("provideClusterInfo is set, and no cluster is known")
		}
		k, err := clusterInfo(cluster)
		if err != nil {
			return "", err
		}
		info.Spec.Cluster = k
	}
	data, err := json.Marshal(info)
	if err != nil {
		return "", errorf("the cluster cannot be written as JSON for the plugin")
	}
	return string(data), nil
}

func clusterInfo(k *rest.ExecCluster) (*infoCluster, error) {
	info := &infoCluster{
		Server: k.Server, TLSServerName: k.TLSServerName, InsecureSkipTLSVerify: k.InsecureSkipTLSVerify,
		CAData: k.CAData, ProxyURL: k.ProxyURL, DisableCompression: k.DisableCompression,
	}
	if info.CAData == nil && k.CAFile != "" {
		stat, err := os.Stat(k.CAFile)
		if err == nil && stat.Size() <= maxCA {
			info.CAData, err = os.ReadFile(k.CAFile)
		}
		if err != nil || stat.Size() > maxCA {
			return nil, errorf("provideClusterInfo: the certificate authority cannot be read")
		}
	}
	config, err := extension(k.Extensions)
	info.Config = config
	return info, err
}

// extension finds the cluster's extension for plugins and writes it as JSON; nil when there is none.
func extension(extensions any) (json.RawMessage, error) {
	list, _ := extensions.([]any)
	for _, item := range list {
		named, _ := item.(map[any]any)
		if named["name"] != clusterExtension || named["extension"] == nil {
			continue
		}
		value, err := jsonValue(named["extension"])
		if err != nil {
			return nil, errorf("the cluster's extension %q: %v", clusterExtension, err)
		}
		return json.Marshal(value)
	}
	return nil, nil
}

// jsonValue makes decoded YAML fit for JSON: keys become texts, as sigs.k8s.io/yaml makes them.
func jsonValue(v any) (any, error) {
	switch v := v.(type) {
	case map[any]any:
		m := make(map[string]any, len(v))
		for key, inner := range v {
			switch key.(type) {
			case string, int, int64, uint64, bool, float64:
			default:
				return nil, fmt.Errorf("a key that is neither a text nor a number")
			}
			value, err := jsonValue(inner)
			if err != nil {
				return nil, err
			}
			m[fmt.Sprint(key)] = value
		}
		return m, nil
	case []any:
		l := make([]any, len(v))
		for i, inner := range v {
			value, err := jsonValue(inner)
			if err != nil {
				return nil, err
			}
			l[i] = value
		}
		return l, nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("a number that JSON has no word for")
		}
	}
	return v, nil
}
