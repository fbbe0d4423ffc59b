package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSession is a session as people have it. TRANSCRIPT=file keeps its screens.
func TestSession(t *testing.T) {
	history := filepath.Join(t.TempDir(), "state", "history")
	settings := []string{"HWSCRIPT_HISTORY=" + history}
	c := open(t, 80, settings)
	c.see("help() helps")
	c.prompted("> ")
	c.ask(`m = hw.machine("kunpeng920")`, ">")
	c.ask(`m`, "machine kunpeng920: 96 CPUs")
	c.ask(`m:run(0, function(cpu) local t = cpu:ktime(); cpu:exec(2600); return cpu:ktime() - t >= 1000 end)`, "true")
	completes(c)
	c.enter("function ping(cpu, n)")
	c.prompted(">> ")
	c.enter("  for i = 1, n do cpu:smp_call_function_single(95); if i % 1e5 == 0 then print(i .. ' calls') end end")
	c.prompted(">> ")
	c.enter("  return cpu:now()")
	c.prompted(">> ")
	c.enter("end")
	c.prompted("> ")
	c.ask("m:run(0, function(cpu) return ping(cpu, 3) > 0 end)", "true")
	c.ask("help(m)", "Methods")
	stopsAndGoesOn(c)
	c.ask("m:dscribe()", `did you mean "describe"?`)
	c.ask("prnt(1)", `did you mean "print"?`)
	c.send("\x04") // Ctrl-D
	if status := c.ends(); status != 0 {
		t.Errorf("status %d", status)
	}

	next := open(t, 80, settings)
	recalls(next)
	if info, err := os.Stat(history); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the history's mode: %v, %v", info, err)
	}
	if unknown := append(c.screen.unknown, next.screen.unknown...); len(unknown) > 0 {
		t.Errorf("sequences that the screen does not understand: %q", unknown)
	}
	if name := os.Getenv("TRANSCRIPT"); name != "" {
		text := c.text() + "\n" + strings.Repeat("-", 80) + "\n" + next.text() + "\n"
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Error(err)
		}
	}
}

// completes presses Tab behind a method's beginning, in front of other text, inside a string, and twice for a list.
func completes(c *console) {
	c.t.Helper()
	const clear = "\x05\x15" // Ctrl-E, Ctrl-U
	c.send("m:desc\t")
	c.see("m:describe")
	c.send(clear)
	c.send("print(m:desc)" + left)
	c.send("\t")
	c.see("print(m:describe)")
	c.send(clear)
	c.send(`x = hw.machine("kun` + "\t")
	c.see(`hw.machine("kunpeng920"`)
	c.send(clear)
	c.send("hw.\t\t")
	c.see("presets")
	c.send(clear)
	c.prompted("> ")
}

// stopsAndGoesOn stops a long run by Ctrl-C when it shows that it is under way, looks at the machine, and continues it.
// Stopped once more, it gives way to a new run.
func stopsAndGoesOn(c *console) {
	c.t.Helper()
	c.enter("m:run(0, function(cpu) return ping(cpu, 1e9) end)")
	c.see("\n100000 calls\n")
	c.send("\x03")
	c.see("continue() goes on")
	c.see("machine kunpeng920 at")
	c.prompted("> ")
	before := c.ask("m:now()", "\n")
	c.ask("m:cpu(0)", "CPU 0 of kunpeng920")
	c.enter("m:continue()")
	c.wait("more calls", func(shown string) bool { return strings.Count(shown, " calls\n") > 1 })
	c.send("\x03")
	c.see("continue() goes on")
	c.prompted("> ")
	if after := c.ask("m:now()", "\n"); after == before {
		c.t.Errorf("time stands at %s after m:continue()", after)
	}
	c.ask("m:run(0, function(cpu) return 'new', ping(cpu, 2) > 0 end)",
		"note: the stopped program of CPU0 is given up for the new one\n\"new\"   true\n")
	c.ask("m:run(0, function(cpu) return 'next' end) -- says nothing", "nothing\n\"next\"\n")
}

// recalls finds inputs of the session before, and one of several lines as one.
func recalls(c *console) {
	c.t.Helper()
	c.prompted("> ")
	c.send(up)
	c.see("> prnt(1)")
	c.send(up + up + up + up + up)
	c.see("> m:continue()")
	c.send("\x03")
	c.see("^C")
	c.prompted("> ")
	c.send("func" + up)         // the last that begins so
	c.see("cpu:now()\u2424end") // its end, in one line
	c.send("\r")
	c.see("> function ping(cpu, n)\n>>   for")
	c.see(">> end")
	c.prompted("> ")
	c.send("\x04")
	if status := c.ends(); status != 0 {
		c.t.Errorf("status %d", status)
	}
}
