package cpu

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// TestTranscripts plays testdata/*.txt and compares every byte. HWSCRIPT_UPDATE=1 rewrites the files: read the
// difference, and say in the commit why it changed.
//
// A file is a sequence of commands, each with its input on the lines below, "----", its output, and an empty line.
// Lines that begin with # are comments.
func TestTranscripts(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, string(text))
			if got == string(text) {
				return
			}
			if os.Getenv("HWSCRIPT_UPDATE") == "" {
				t.Fatalf("%s differs; got\n%s", name, got)
			}
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// replay plays a transcript and answers it with the output that its commands have now.
func replay(t *testing.T, text string) string {
	var out strings.Builder
	p := &player{t: t}
	blocks := strings.Split(strings.TrimSuffix(text, "\n"), "\n\n")
	for i, block := range blocks {
		if i > 0 {
			out.WriteString("\n")
		}
		head, _, found := strings.Cut(block, "\n----")
		out.WriteString(head + "\n")
		if !found {
			continue // comments alone
		}
		var input []string
		for _, l := range strings.Split(head, "\n") {
			if !strings.HasPrefix(l, "#") {
				input = append(input, strings.TrimSpace(l))
			}
		}
		out.WriteString("----\n" + p.command(strings.Fields(input[0]), input[1:]))
	}
	return out.String()
}

// A player carries out the commands of one transcript.
type player struct {
	t *testing.T
	b *board
}

// command carries out one command and answers its output.
//
//	machine 8             a board with that many CPUs (see board)
//	hold data 1 4         CPU1 and CPU4 read a line; lines are data, flag and lock
//	interrupt 0 1500      CPU0's interrupt wire rises at 1500 ns
//	handler 0             the steps below are CPU0's interrupt handler
//	program 0             CPU0 runs the steps below, as step describes them
//	run                   runs until nothing is pending; shows the trace
//	spent 0               where CPU0's time has gone
func (p *player) command(words []string, steps []string) string {
	p.t.Helper()
	verb, args := words[0], words[1:]
	switch verb {
	case "machine":
		p.b = newBoard(p.t, p.number(args[0]))
		return ""
	case "hold":
		for _, cpu := range args[1:] {
			p.b.shared(p.line(args[0]), p.number(cpu))
		}
		return fmt.Sprintf("at %s ns\n", p.b.engine.Now().Nanoseconds())
	case "interrupt":
		p.b.interrupt(p.number(args[0]), sim.Time(p.number(args[1]))*ns)
		return ""
	case "handler":
		p.b.cpus[p.number(args[0])].SetVector(handler(p.steps(steps)))
		return ""
	case "program":
		p.b.start(p.number(args[0]), p.steps(steps))
		return ""
	case "run":
		return p.run()
	case "spent":
		return p.spent(p.b.cpus[p.number(args[0])].Spent())
	}
	p.t.Fatalf("unknown command %q", verb)
	return ""
}

func (p *player) run() string {
	p.b.log.Reset()
	p.b.engine.Attach(sim.TextTracer(p.b.Trace))
	p.b.run()
	p.b.engine.Detach()
	return p.b.log.String()
}

func (p *player) spent(spent Spent) string {
	var s strings.Builder
	for kind, d := range spent {
		if d != 0 {
			fmt.Fprintf(&s, "%9s  %s\n", d.Nanoseconds(), Cost(kind))
		}
	}
	return s.String() + fmt.Sprintf("%9s  in all\n", spent.Total().Nanoseconds())
}

func (p *player) steps(steps []string) func(c *CPU) {
	return func(c *CPU) {
		for _, s := range steps {
			p.step(c, strings.Fields(s))
		}
	}
}

// step makes one step of a program.
//
//	until 1000               work until 1000 ns
//	exec 50                  50 cycles of work
//	load data                LDR; with "acquire" LDAR
//	store data 1             STR; with "release" STLR
//	swap flag 1 release      SWPL
//	exclusive flag 1 release LDXR, STLXR
//	write 7                  a write to the device's register
//	read                     a read of it
//	wait flag 1              a WFE loop until the line holds 1
//	wfi                      waits for an interrupt
//	dmb ishst, dsb sy        barriers
//	acknowledge              reads the register by which the interrupt input falls
//	dump 1 100               shows CPU1, its times counted from 100 ns on
func (p *player) step(c *CPU, words []string) {
	switch verb, args := words[0], words[1:]; verb {
	case "until":
		c.Delay(sim.Time(p.number(args[0]))*ns - c.Now())
	case "exec":
		c.Exec(int64(p.number(args[0])))
	case "load":
		c.Load(p.line(args[0]), 8, p.order(args[1:]))
	case "store":
		c.Store(p.line(args[0]), 8, uint64(p.number(args[1])), p.order(args[2:]))
	case "swap":
		c.Atomic(p.line(args[0]), 8, bus.Swap, uint64(p.number(args[1])), 0, p.order(args[2:]))
	case "exclusive":
		c.LoadExclusive(p.line(args[0]), 8, bus.Plain)
		c.StoreExclusive(p.line(args[0]), 8, uint64(p.number(args[1])), p.order(args[2:]))
	case "write":
		c.Store(deviceBase, 4, uint64(p.number(args[0])), p.order(args[1:]))
	case "read":
		c.Load(deviceBase, 4, bus.Plain)
	case "wait":
		want := uint64(p.number(args[1]))
		c.Wait(p.line(args[0]), 8, bus.Acquire, func(v uint64) bool { return v == want }, Forever)
	case "wfi":
		c.WaitForInterrupt()
	case "dmb", "dsb":
		if !slices.Contains(barrierOptions, args[0]) {
			p.t.Errorf("no barrier %q", words)
		}
		c.Fence(barrier(verb + " " + args[0]))
	case "acknowledge":
		c.ReadSys(ackReg)
	case "dump":
		c.Boundary()
		p.b.cpus[p.number(args[0])].Dump(&p.b.log, sim.Time(p.number(args[1]))*ns)
	default:
		p.t.Errorf("unknown step %q", words)
	}
}

func (p *player) line(name string) uint64 {
	for i, known := range [...]string{"data", "flag", "lock"} {
		if name == known {
			return ramBase + uint64(i)*mem.LineSize
		}
	}
	p.t.Errorf("unknown line %q", name)
	return ramBase
}

func (p *player) order(words []string) bus.Order {
	for o := bus.Plain; o <= bus.AcquireRelease; o++ {
		if o.String() == strings.Join(words, " ") {
			return o
		}
	}
	p.t.Errorf("unknown order %q", words)
	return bus.Plain
}

func (p *player) number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		p.t.Error(err)
	}
	return n
}
