package host_test

import (
	"bytes"
	"testing"
)

// At the prompt, print shows what is in tables, but leaves those alone that have a text of their own.
func TestPromptPrintsTables(t *testing.T) {
	var out bytes.Buffer
	h := newHost(t, &out)
	h.EnableHelp(func() int { return 80 }, "")
	const source = `print({1, 2}, "a", go)
print(setmetatable({}, {__tostring = function() return "me" end}))`
	if err := h.Run(t.Context(), "input", source); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "{1, 2}\ta\tmodule go\nme\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
