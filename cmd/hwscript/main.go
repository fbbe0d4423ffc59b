// Command hwscript simulates the hardware with which kernels synchronise, driven by Lua scripts. See package cli.
package main

import (
	"context"
	"os"

	"github.com/hwscript/hwscript/cmd/hwscript/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
