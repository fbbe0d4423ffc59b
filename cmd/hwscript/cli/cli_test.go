package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/hwscript/hwscript/bindings"
)

// command runs the command in this process.
func command(stdin io.Reader, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = Main(context.Background(), args, stdin, &out, &err)
	return status, out.String(), err.String()
}

func TestInternalError(t *testing.T) {
	broken := writerFunc(func([]byte) (int, error) { panic("BUG: the tape is torn\nand wet") })
	var stderr bytes.Buffer
	status := Main(context.Background(), []string{"version"}, strings.NewReader(""), broken, &stderr)
	want := "hwscript: internal error: the tape is torn (HWSCRIPT_DEBUG=1 prints the stack)\n"
	if status != statusInternal || stderr.String() != want {
		t.Errorf("status %d, error %q", status, stderr.String())
	}
	t.Setenv("HWSCRIPT_DEBUG", "1")
	Main(context.Background(), []string{"version"}, strings.NewReader(""), broken, &stderr)
	if !strings.Contains(stderr.String(), "TestInternalError") {
		t.Errorf("no stack: %q", stderr.String())
	}
}

func TestClosedPipe(t *testing.T) {
	var stderr bytes.Buffer
	writes := 0
	closed := writerFunc(func([]byte) (int, error) {
		writes++
		return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
	})
	args := []string{"run", "-e", `for i = 1, 1e6 do print("line") end`}
	if status := Main(context.Background(), args, strings.NewReader(""), closed, &stderr); status != statusDone {
		t.Errorf("status %d", status)
	}
	if stderr.Len() > 0 || writes != 1 {
		t.Errorf("%d writes, error %q", writes, stderr.String())
	}
}

func TestFailingOutput(t *testing.T) {
	var stderr bytes.Buffer
	full := writerFunc(func([]byte) (int, error) { return 0, syscall.ENOSPC })
	for _, format := range []string{"text", "json"} {
		stderr.Reset()
		args := []string{"run", "--format", format, "-e", `print(1)`}
		status := Main(context.Background(), args, strings.NewReader(""), full, &stderr)
		if status != statusFailed || !strings.HasSuffix(stderr.String(), syscall.ENOSPC.Error()+"\n") {
			t.Errorf("%s: status %d, error %q", format, status, stderr.String())
		}
	}
}

func TestCancelledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	status := Main(ctx, []string{"run", "-e", "print(1)"}, strings.NewReader(""), &stdout, &stderr)
	if status != 130 || !strings.HasPrefix(stderr.String(), "hwscript: interrupted") {
		t.Errorf("status %d, output %q, error %q", status, stdout.String(), stderr.String())
	}
}

// TestWaitingForInput expects a command that waits for a script to end with its context.
func TestWaitingForInput(t *testing.T) {
	for _, args := range [][]string{{"run", "-"}, {"repl"}, {}} {
		ctx, cancel := context.WithCancel(context.Background())
		stdin, typing := io.Pipe()
		go func() {
			io.WriteString(typing, "x = 1\n") // returns when it was read
			cancel()
		}()
		var stdout, stderr bytes.Buffer
		status := Main(ctx, args, stdin, &stdout, &stderr)
		if !strings.HasPrefix(stderr.String(), "hwscript: interrupted") || status != 130 { // before, in or behind x = 1
			t.Errorf("%v: status %d, %q", args, status, stderr.String())
		}
	}
}

func TestInput(t *testing.T) {
	in := newInput(context.Background(), iotest.DataErrReader(strings.NewReader(strings.Repeat("0123456789", 10_000))))
	if err := iotest.TestReader(in, []byte(strings.Repeat("0123456789", 10_000))); err != nil {
		t.Error(err)
	}
}

func TestFilePermissions(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	for _, mode := range []os.FileMode{0o644, 0o600} {
		if status, _, stderr := command(strings.NewReader(""), "run", "-o", name, "-e", "print(1)"); status != statusDone {
			t.Fatal(stderr)
		}
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("mode %v, %v, want %v", info.Mode(), err, mode)
		}
		if err := os.Chmod(name, 0o600); err != nil { // the next run keeps it
			t.Fatal(err)
		}
	}
}

func TestTraceWindow(t *testing.T) {
	for text, want := range map[string]bindings.Trace{
		"3":            {Calls: 3},
		"10us..20us":   {From: 10e6, To: 20e6},
		"0..1.5ms":     {To: 15e8},
		"1ns..0.002us": {From: 1000, To: 2000},
		"7ps..1s":      {From: 7, To: 1e12},
	} {
		if got, err := parseTraceWindow(text); err != nil || *got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "0", "-1", "x", "3x", "..", "1us..", "..1us", "2us..1us", "1us..1us", "1..2", "-1us..1us", "1/2us..1us",
		"1e3us..2s", "0.5ps..1us", "1us..99999999s", "1us..2us..3us", ".us..1us",
	} {
		if got, err := parseTraceWindow(text); err == nil {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
}

func TestVersionText(t *testing.T) {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.8", Deps: []*debug.Module{{Path: "github.com/yuin/gopher-lua", Version: "v1.1.2"}},
	}
	want := "hwscript (unknown)\nLua 5.1 (gopher-lua v1.1.2)\ngo1.26.8\n"
	if got := versionText(info); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	info.Main.Version = "v0.1.0"
	info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}
	if got := versionText(info); !strings.HasPrefix(got, "hwscript v0.1.0 abc with changes\n") {
		t.Errorf("got %q", got)
	}
}

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := &progress{w: &out, now: time.Now}
	p.show("run 1")
	io.WriteString(p.before(&out), "line\n")
	p.show("run 2")
	p.show("")
	p.show("")
	if want := "\r\x1b[Krun 1\r\x1b[Kline\n\r\x1b[Krun 2\r\x1b[K"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// TestProgressCounts: how much is done, and how long the rest takes at that pace; not more often than can be read.
func TestProgressCounts(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	p := &progress{w: &out, now: func() time.Time { return now }}
	p.count(1, 9) // of nothing that is shown
	p.show("x")
	p.count(1, 10)
	now = now.Add(20 * time.Second)
	p.count(5, 20)
	p.show("y")
	p.count(6, 20)
	p.show("")
	want := "\r\x1b[Kx" + "\r\x1b[Kx (5 of 20 done, 1m0s left)" + "\r\x1b[Ky" + "\r\x1b[K"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestSuggestScript(t *testing.T) {
	if got := suggestScript("zzzzzzzz"); got != "" {
		t.Errorf("zzzzzzzz is taken for %s", got)
	}
}

// TestRemarksAreNotes: what software is remarked for comes at the end, on standard error.
func TestRemarksAreNotes(t *testing.T) {
	status, stdout, stderr := command(strings.NewReader(""), "run", "-e",
		`hw.machine("virt"):run(0, function(cpu) cpu:load(u64"0x0800c000") end) print "done"`)
	if status != 0 || stdout != "done\n" || !strings.HasPrefix(stderr, "hwscript: remark on virt at ") ||
		!strings.HasSuffix(stderr, " ns: CPU0: GICD+0xc000: read of 8 bytes: no register of this size\n") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}
