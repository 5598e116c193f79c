package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/rawwatch/rawwatch/rest"
)

// flagValues are the flags with a fixed set of values, for shell completion.
var flagValues = map[string][]string{
	"output":                 formatNames[:],
	"color":                  {"auto", "always", "never"},
	"resource-version-match": {rest.MatchNotOlderThan, rest.MatchExact},
}

func registerCompletions(c *cobra.Command, values map[string][]string) {
	for flag, words := range values {
		if c.Flags().Lookup(flag) != nil {
			_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // fails for unknown flags alone
		}
	}
}

// completeResources completes the names of built-in resources, the last of several too. It asks no server: a shell must not wait for one.
func completeResources(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 || strings.HasPrefix(typed, "/") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	var words []string
	for _, r := range rest.Builtin() {
		if strings.HasPrefix(r.Resource.Resource, typed[len(before):]) {
			words = append(words, before+r.Resource.Resource)
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
