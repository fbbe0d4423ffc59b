package cpu

import (
	"fmt"
	"io"
	"strings"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Dump prints the CPU's state, one line for each part. Times count from epoch, the end of the boot:
//
//	program          waits for a write to line 0x4000_0040
//	local time       1320.500 ns
//	interrupts       unmasked (PSTATE.I=0), input low
//	store buffer     1 of 16 entries, drained at 1321.000 ns; acknowledged at 1350.000 ns
//	event register   clear
//	counters         loads 12  stores 3  atomics 1  fences 2
//	lines taken      cluster 2  dram 1
//	time spent       software 800.000 ns  barriers 520.500 ns
func (c *CPU) Dump(w io.Writer, epoch sim.Time) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-16s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("program", "%s", c.activity())
	if c.proc.Busy() {
		line("local time", "%s ns", (c.proc.Now() - epoch).Nanoseconds())
	}
	if p := c.interrupts.power; p != On {
		line("power", "%s", p)
	}
	line("interrupts", "%s, input %s", choose(c.IRQMasked(), c.ports.Words.Masked, c.ports.Words.Unmasked),
		choose(c.IRQ(), "high", "low"))
	line("store buffer", "%s", c.timed.describe(epoch))
	if n := len(c.timed.writes) - c.timed.arriving; n > 0 {
		line("device writes", "%d on their way, the last arrives at %s ns", n, (c.timed.delivered - epoch).Nanoseconds())
	}
	if c.monitor.set {
		line("monitor", "exclusive on line %s", bits.Hex(c.monitor.line*mem.LineSize))
	}
	if c.ports.Arch != nil {
		c.ports.Arch.State(line)
	}
	c.dumpCounters(line)
}

// dumpCounters prints what is not zero.
func (c *CPU) dumpCounters(line func(name, format string, args ...any)) {
	s := &c.stats
	var counts, lines, spent list
	counts.add("loads", s.Loads)
	counts.add("stores", s.Stores)
	counts.add("atomics", s.Atomics)
	counts.add("fences", s.Fences)
	counts.add(strings.ToUpper(c.ports.Words.ReadSys), s.SysRegReads)
	counts.add(strings.ToUpper(c.ports.Words.WriteSys), s.SysRegWrites)
	counts.add("device reads", s.DeviceReads)
	counts.add("device writes", s.DeviceWrites)
	counts.add("interrupts", s.Interrupts)
	counts.add("waits", s.Waits)
	line("counters", "%s", &counts)
	for d, n := range s.Transfers {
		lines.add(mem.Distance(d).String(), n)
	}
	line("lines taken", "%s", &lines)
	for kind, t := range c.spent {
		if t != 0 {
			spent = append(spent, fmt.Sprintf("%s %s ns", Cost(kind), t.Nanoseconds()))
		}
	}
	line("time spent", "%s", &spent)
}

// activity says what the CPU does.
func (c *CPU) activity() string {
	why, waits := c.proc.Waiting()
	doing := ""
	switch {
	case !c.proc.Busy():
		return "none: the CPU is idle"
	case waits && why.Addr != 0:
		doing = fmt.Sprintf("waits for %s %s", why.What, bits.Hex(why.Addr))
	case waits:
		doing = "waits for " + why.What
	case c.program.running:
		doing = "runs"
	case c.program.queued != nil:
		doing = "starts"
	default:
		return "none: the CPU takes an interrupt out of idle"
	}
	if c.interrupts.level != 0 && !c.interrupts.pending() {
		doing += ", with an interrupt pending and masked"
	}
	return doing
}

// describe says how many stores have not drained by now, and when the last one will have.
func (t *timed) describe(epoch sim.Time) string {
	now, n := t.c.proc.Now(), 0
	for i := range t.used {
		if t.buffer[(t.first+i)%len(t.buffer)] > now {
			n++
		}
	}
	text := fmt.Sprintf("%d of %d entries", n, len(t.buffer))
	if n > 0 {
		text += fmt.Sprintf(", drained at %s ns", (t.drained - epoch).Nanoseconds())
	}
	if o := t.outer; o != nil && o.acked > now {
		text += fmt.Sprintf("; acknowledged at %s ns", (o.acked - epoch).Nanoseconds())
	}
	return text
}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// list joins the parts of a line.
type list []string

func (l *list) add(name string, n uint64) {
	if n != 0 {
		*l = append(*l, fmt.Sprintf("%s %d", name, n))
	}
}

func (l *list) String() string {
	if len(*l) == 0 {
		return "none"
	}
	return strings.Join(*l, "  ")
}
