package rest

import "time"

// InClusterOptions configure InClusterConfig. The zero value is what a pod needs.
type InClusterOptions struct {
	// Dir holds token, ca.crt and namespace; "" is
	// /var/run/secrets/kubernetes.io/serviceaccount.
	Dir string
	// Env reads the environment; nil is os.Getenv.
	Env func(string) string
	// Now is the clock of the token file; nil is time.Now.
	Now func() time.Time
}

// InClusterConfig returns the configuration of a pod from its service account.
// A program that uses nothing else of configuration links no YAML.
func InClusterConfig(o InClusterOptions) (Config, error) {
	return Config{}, &ConfigError{Rule: "not yet built"}
}
