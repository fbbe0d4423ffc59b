package repl

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/bindings"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/result"
)

// dialogue runs inputs in a session without a terminal, and returns what they print.
func dialogue(t *testing.T, start string, inputs ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	var hosts []*host.Host
	o := Options{
		Host: func() (*host.Host, error) {
			h, err := bindings.NewHost(&bindings.Session{Report: &result.Report{}, Interactive: true},
				host.Options{Preload: true, Stdout: &out, Stderr: &out})
			hosts = append(hosts, h)
			return h, err
		},
		Start: func(ctx context.Context, h *host.Host) error { return h.Run(ctx, "start", start) },
		In:    strings.NewReader(strings.Join(inputs, "\n") + "\n"),
		Out:   &out,
	}
	err := Run(context.Background(), o)
	for _, h := range hosts {
		h.Close()
	}
	return out.String(), err
}

func TestCommands(t *testing.T) {
	dir := t.TempDir()
	loaded, saved := filepath.Join(dir, "loaded.lua"), filepath.Join(dir, "saved.lua")
	if err := os.WriteFile(loaded, []byte("local hidden = 1\nfrom_file = hidden + 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		inputs []string
		want   string // parts of what is printed
		err    string
	}{
		{"expression", []string{"started", "=started + 1", "  = 5"}, "1\n2\n5\n", ""},
		{"reset", []string{"x = 1", "started = 2", ":reset", "started", "x"}, "1\n", `stdin:5: undefined global "x"`},
		{"quit", []string{"1", ":quit", "2"}, "1\n", ""},
		{"load", []string{":load " + loaded, "from_file"}, "2\n", ""},
		{"load nothing", []string{":load /nowhere.lua"}, "", "cannot read /nowhere.lua: no such file or directory"},
		{"time", []string{`m = hw.machine("virt", {cpus = 2})`, ":time"}, "of real time\nm: machine virt: 2 CPUs", ""},
		{"time of code", []string{":time 6 * 7"}, "42\n", ""},
		{"unknown", []string{":lod x"}, "", "no command :lod; did you mean :load?"},
		{"no argument", []string{":load"}, "", ":load: which file?"},
		{"an argument too many", []string{":quit now"}, "", ":quit takes no argument"},
		{"help", []string{"?hw.presets"}, "hw.presets()", ""},
		{"help of an object", []string{`m = hw.machine("virt", {cpus = 2})`, "?m"}, "class Machine", ""},
		{"help of a register", []string{"? GICD_CTLR"}, "GICD_CTLR", ""},
		{"help of a member", []string{`m = hw.machine("virt", {cpus = 2})`, "?m.run"}, "Machine:run(", ""},
		{"help of all", []string{"?"}, ":load FILE", ""},
		{"help of nothing", []string{"?nothing_like_it"}, "", `undefined global "nothing_like_it"`},
		{"no help", []string{"?("}, "", "? takes a name or an expression"},
		{"save", []string{
			`m = hw.machine("virt", {cpus = 2})`, "local n = 2", "n * 21", "m:run(0, function(cpu)", "  cpu:exec(10)", "end)",
			"help(m)", "?m", ":save " + saved,
		}, "42\n", ""},
		{"save again", []string{":save " + saved}, "", ":save: " + saved + " exists"},
	} {
		got, err := dialogue(t, "started = 1", c.inputs...)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if !strings.Contains(got, c.want) || !strings.Contains(text, c.err) || (err == nil) != (c.err == "") {
			t.Errorf("%s: got %q, %v", c.name, got, err)
		}
	}
	text, err := os.ReadFile(saved)
	want := `local hw = require "hw"

m = hw.machine("virt", {cpus = 2})
local n = 2
print(n * 21)
m:run(0, function(cpu)
  cpu:exec(10)
end)
`
	if err != nil || string(text) != want {
		t.Errorf("saved %v:\n%s", err, text)
	}
	h := newHost(t, "")
	if err := h.Run(context.Background(), "saved", string(text)); err != nil {
		t.Errorf("the saved script fails: %v", err)
	}
}

// TestUnits expects pasted lines to be what they are: one chunk, or several.
func TestUnits(t *testing.T) {
	h := newHost(t, "")
	for _, c := range []struct {
		text string
		want []string
	}{
		{"1", []string{"1"}},
		{"x = 1\ny = 2", []string{"x = 1\n", "y = 2"}},
		{"x = 1\n  + 2", []string{"x = 1\n  + 2"}},
		{"string\n  .rep(\"a\", 3)", []string{"string\n  .rep(\"a\", 3)"}},
		{"x = 1\nx + 1", []string{"x = 1\n", "x + 1"}},
		{"x = 1\nx + 1\nfunction f()\n  return 1\nend\nf(),\n2", []string{
			"x = 1\n", "x + 1\n", "function f()\n  return 1\nend\n", "f(),\n2",
		}},
		{"function f()\n\nend", []string{"function f()\n\nend"}},
	} {
		s := &session{host: h}
		units, err := s.compile(input{name: "test", text: c.text, pasted: true})
		var got []string
		for _, u := range units {
			got = append(got, u.text)
		}
		if err != nil || strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%q: got %q, %v", c.text, got, err)
		}
	}
	s := &session{host: h}
	if units, err := s.compile(input{name: "test", pasted: true, text: "x = 1\nx + 1\n= = ="}); err == nil {
		t.Errorf("got %d units", len(units))
	}
	if units, err := s.compile(input{name: "test", pasted: true, text: "x = 1\nif x then"}); asIncomplete(err) == nil {
		t.Errorf("got %d units, %v: the last is not complete", len(units), err)
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("plain"), "plain"},
		{&host.ScriptError{File: "a", Line: 1, Msg: "odd", Traceback: "a:1: in main chunk"}, "a:1: odd"},
		{&host.ScriptError{File: "a", Line: 1, Msg: "odd", Traceback: "a:1: in f\na:2: in main chunk"},
			"a:1: odd\n  a:1: in f\n  a:2: in main chunk"},
		{&host.StoppedError{Err: context.Canceled}, "stopped"},
		{&host.StoppedError{File: "a", Line: 1, Err: &host.LimitError{Msg: "1s is over", Err: context.DeadlineExceeded}},
			"a:1: stopped: 1s is over"},
		{&host.StoppedError{File: "a", Line: 1, Place: "machine virt at 5.000 ns", Err: context.Canceled},
			"stopped at a:1; continue() goes on\nmachine virt at 5.000 ns"},
	} {
		if got := describe(c.err); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
