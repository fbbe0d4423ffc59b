package tests

import (
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hwscript/hwscript/cmd/hwscript/cli"
)

// TestMain lets this test binary act as the hwscript command, a real process with its own exit status, for TestScript.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"hwscript": func() {
			os.Exit(cli.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// TestScript runs the command-line sessions of testdata/script; it fails if there are none. With HWSCRIPT_UPDATE=1,
// files that a cmp command compares with the output are rewritten.
func TestScript(t *testing.T) {
	update, err := updating()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		UpdateScripts:      update,
		RequireUniqueNames: true,
	})
}
