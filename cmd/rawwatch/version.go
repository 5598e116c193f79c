package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionInfo is what the binary knows of itself. The JSON names are stable.
type versionInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// readVersion takes what the Go toolchain recorded; nothing is stamped in.
func readVersion() versionInfo {
	v := versionInfo{Version: buildVersion(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// buildVersion is the module's version, "devel" in a checkout.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

func (v versionInfo) String() string {
	text := "rawwatch " + v.Version
	if v.Commit != "" {
		text += " " + v.Commit
	}
	return text + " " + v.Go + " " + v.Platform
}

func (p process) versionCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := readVersion()
			switch format {
			case "":
				fmt.Fprintln(p.stdout, v)
				return nil
			case "json":
				return json.NewEncoder(p.stdout).Encode(v)
			}
			return usagef("-o is json or nothing, not %q", format)
		},
	}
	c.Flags().StringVarP(&format, "output", "o", "", "`format`: json")
	return c
}
