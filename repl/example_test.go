package repl_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/repl"
)

// Input that is no terminal is evaluated line by line, as `printf '...' | hwscript` does.
func ExampleRun() {
	h, err := host.New(host.Options{Stdout: os.Stdout})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	input := "t = {cpus = 4}\nt.cpus * 2\nt\nt:dump()\n"
	fmt.Println(repl.Run(context.Background(), repl.Options{
		Host: func() (*host.Host, error) { return h, nil }, In: strings.NewReader(input), Out: os.Stdout,
	}))
	// Output:
	// 8
	// {cpus = 4}
	// stdin:4: attempt to call a non-function object
}
