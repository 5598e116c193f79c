package rest

import (
	"strings"

	yaml "sigs.k8s.io/yaml/goyaml.v2"
)

// decodeYAML returns the first document of data: maps are map[any]any.
//
// It is the decoder that sigs.k8s.io/yaml wraps, without that package's detour
// through JSON: a string behind an alias stays shared. Written out, one scalar of
// 500 KiB and 100,000 aliases would ask for 50 GiB. Nested aliases
// (CVE-2019-11253) are refused by the decoder beyond about 400,000 expanded nodes,
// nesting beyond 10,000 levels; with the bound on the file the worst document
// measured takes half a second and 140 MB.
func decodeYAML(data []byte) (any, *ConfigError) {
	var root any
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, &ConfigError{Rule: "is not valid YAML" + yamlProblem(err)}
	}
	return root, nil
}

// yamlProblem repeats a decoder's message when it is about structure. Others
// quote what stands in the file, which may be a token.
func yamlProblem(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	where, problem, ok := strings.Cut(text, ": ")
	if !ok || !strings.HasPrefix(where, "line ") {
		where, problem = "", text
	} else {
		where = " at " + where
	}
	for _, known := range []string{
		"block sequence entries are not allowed", "control characters are not allowed",
		"could not find expected", "did not find expected", "document contains excessive aliasing",
		"exceeded max depth", "found a tab character", "found character that cannot start any token",
		"found unexpected", "found unknown escape character", "invalid leading UTF-8 octet",
		"invalid trailing UTF-8 octet", "invalid length of a UTF-8 sequence", "incomplete UTF-8",
		"mapping keys are not allowed", "mapping values are not allowed",
	} {
		if strings.HasPrefix(problem, known) {
			return where + ": " + problem
		}
	}
	return where
}
