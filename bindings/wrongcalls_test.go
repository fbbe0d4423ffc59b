package bindings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hwscript/hwscript/host"
)

const wrongCallsFile = "testdata/wrongcalls.txt"

// TestWrongCalls runs the calls of testdata/wrongcalls.txt, which begin with "> ", and compares each error with the
// text below it. HWSCRIPT_UPDATE=1 rewrites the file.
func TestWrongCalls(t *testing.T) {
	want, err := os.ReadFile(wrongCallsFile)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	calls, comment := 0, true
	for line := range strings.Lines(string(want)) {
		code, isCall := strings.CutPrefix(line, "> ")
		switch {
		case isCall:
			calls, comment = calls+1, false
			fmt.Fprintf(&got, "%s%s\n", line, wrongCall(t, code))
		case strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "":
			got.WriteString(line)
			comment = true
		case comment:
			t.Errorf("%s: neither a call, nor a comment, nor an error: %s", wrongCallsFile, line)
		}
	}
	if calls < 20 {
		t.Errorf("%d calls only", calls)
	}
	if os.Getenv("HWSCRIPT_UPDATE") == "1" {
		if err := os.WriteFile(wrongCallsFile, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// wrongCall returns the error of a call, without its place.
func wrongCall(t *testing.T, code string) string {
	h := newInspected(t)
	const setup = `m = hw.machine("virt"); a = m:lines(1):addr(0); `
	err := h.Run(context.Background(), "input", setup+code)
	var script *host.ScriptError
	if !errors.As(err, &script) {
		t.Errorf("%s: the error is %v", strings.TrimSpace(code), err)
		return "none"
	}
	return strings.TrimPrefix(script.Msg, "input:1: ")
}
