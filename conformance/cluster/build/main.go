// Command build makes the servers that the tests run, or finds them made, and
// prints where they are.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/rawwatch/rawwatch/conformance/cluster"
)

func main() {
	binaries, err := cluster.Build(context.Background(), os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(binaries.Version)
	fmt.Println(binaries.Etcd)
	fmt.Println(binaries.APIServer)
}
