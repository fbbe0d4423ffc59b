package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestPaste(t *testing.T) {
	history := filepath.Join(t.TempDir(), "history")
	c := open(t, 80, []string{"HWSCRIPT_HISTORY=" + history})
	c.prompted("> ")
	c.wait("the request for marks", func(string) bool { return c.screen.modes["?2004"] })
	c.send("\x1b[200~function f(n)\r\n\tif n > 1 then\r\n\t\treturn n * f(n - 1)\r\n\tend\r\n\treturn 1\r\nend\r\n" +
		"f(5)\r\n\x1b[201~")
	c.see("\u2424")
	c.send("\r")
	c.see("120")
	c.prompted("> ")
	want := "> function f(n)\n>>      if n > 1 then\n>>              return n * f(n - 1)\n>>      end\n" +
		">>      return 1\n>> end\n>> f(5)\n120"
	if !strings.Contains(c.text(), want) {
		t.Errorf("the screen shows\n%s", c.text())
	}
	if text, err := os.ReadFile(history); err != nil || strings.Count(string(text), "\n") != 1 {
		t.Errorf("the history holds %q, %v", text, err)
	}
	// A recalled block is one unit, and can be changed.
	c.send(up)
	c.see("f(5)")
	c.send("\x7f\x7f6)\r")
	c.see("720")
	c.prompted("> ")
	c.send("\x04")
	c.ends()
}

func TestCtrlC(t *testing.T) {
	c := open(t, 80, nil)
	c.prompted("> ")
	// At the prompt it clears: a line, and a half-typed block.
	c.send("prnt(")
	c.see("prnt(")
	c.send("\x03")
	c.prompted("> ")
	c.enter("if x then")
	c.prompted(">> ")
	c.send("\x03")
	c.prompted("> ")
	c.ask("1 + 1", "2")
	// Pure Lua ends.
	c.enter("print('under' .. 'way') while true do pcall(function() end) end")
	c.see("underway")
	c.send("\x03")
	c.see("stopped at input2:1")
	c.prompted("> ")
	// At an empty prompt, one soon after another leaves.
	cleared := func(shown string) bool { return strings.HasSuffix(shown, "^C\n>") }
	for c.send("\x03"); c.until(cleared); c.send("\x03") {
		c.prompted("> ")
	}
	if status := c.ends(); status != 130 {
		t.Errorf("status %d", status)
	}
}

// TestTerminalIsRestored expects the terminal as it was, however the session ends.
func TestTerminalIsRestored(t *testing.T) {
	for name, end := range map[string]func(c *console){
		"Ctrl-D":  func(c *console) { c.send("\x04") },
		":quit":   func(c *console) { c.enter(":quit") },
		"SIGTERM": func(c *console) { c.signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			// The shell stays, so that the terminal does.
			c := openCommand(t, 200, nil, exec.Command("sh", "-c", `trap : TERM; stty -g; "$0"; stty -g; echo over`, built(t)))
			c.prompted("> ")
			end(c)
			c.see("over")
			rows := strings.Split(strings.TrimSpace(c.text()), "\n")
			if first, last := rows[0], rows[len(rows)-2]; first != last {
				t.Errorf("the terminal was %s and is %s", first, last)
			}
			if c.screen.modes["?2004"] {
				t.Error("pasted text is still marked")
			}
		})
	}
}

// TestSessionIsTerminated expects a session that a signal ends to leave no unfinished file.
func TestSessionIsTerminated(t *testing.T) {
	dir := t.TempDir()
	for sig, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		c := open(t, 80, nil, "run", "-i", "--trace-text", filepath.Join(dir, "trace.txt"), "-e", "1")
		c.prompted("> ")
		c.enter("print('under' .. 'way') while true do end")
		c.see("underway")
		c.signal(sig)
		if status := c.ends(); status != want {
			t.Errorf("%v: status %d", sig, status)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v: %v is left, %v", sig, left, err)
		}
	}
}

// TestPoorTerminals expects sessions to work without escape sequences, and in few columns.
func TestPoorTerminals(t *testing.T) {
	for _, c := range []struct {
		name, term string
		columns    int
	}{
		{"dumb", "dumb", 80}, {"none", "", 80}, {"vt100", "vt100", 80}, {"narrow", "xterm", 40}, {"very narrow", "xterm", 11},
		{"of unknown width", "xterm", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			term := open(t, c.columns, []string{"TERM=" + c.term})
			term.see("\n>")
			term.send("x = {1, 2}\r")
			term.send("function f()\r")
			term.send("return 6 * 7 end\r")
			term.see(">>")
			term.send("f()\r")
			term.see("42\n>")
			term.send("\x03")
			term.see("^C\n>")
			term.send("'日本' .. 'é'\r")
			term.see("日本é\"\n>")
			term.send("\x04")
			if status := term.ends(); status != 0 {
				t.Errorf("status %d; the screen shows\n%s", status, term.text())
			}
			if c.term == "dumb" && len(term.screen.modes) > 0 {
				t.Errorf("a dumb terminal got %v", term.screen.modes)
			}
		})
	}
}

// TestWideCharacters expects the cursor where it belongs behind characters of two columns.
func TestWideCharacters(t *testing.T) {
	c := open(t, 40, nil)
	c.prompted("> ")
	c.send("x = '日本語'" + left + left)
	c.see("日本語'")
	c.send("!")
	c.see("日本!語'")
	c.send("\r")
	c.ask("x", "日本!語")
	c.send("\x04")
	c.ends()
}

func TestScriptFirst(t *testing.T) {
	name := filepath.Join(t.TempDir(), "first.lua")
	text := "local hw = require 'hw'\nkept = hw.presets()\nerror('late')\n"
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c := open(t, 80, nil, "repl", name)
	c.see("late")
	c.prompted("> ")
	c.ask("#kept > 0", "true")
	c.enter(":reset")
	c.see("late")
	c.prompted("> ")
	c.send("\x04")
	if status := c.ends(); status != 0 {
		t.Errorf("status %d", status)
	}
}

// BenchmarkStart measures the time from starting the command to its prompt, which has to be below 50 ms, and the
// processor time of the whole process, which depends less on what else runs.
func BenchmarkStart(b *testing.B) {
	built(b)
	var busy time.Duration
	for b.Loop() {
		c := open(b, 80, nil)
		c.see("\n>")
		b.StopTimer()
		c.kill()
		busy += c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()
		b.StartTimer()
	}
	b.ReportMetric(float64(busy.Nanoseconds())/float64(b.N), "cpu-ns/op")
}
