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
	line("interrupts", "%s, input %s", choose(c.irqMasked, "masked (PSTATE.I=1)", "unmasked (PSTATE.I=0)"),
		choose(c.irqLevel, "high", "low"))
	line("store buffer", "%s", c.describeBuffer(epoch))
	if n := len(c.deviceWrites) - c.deviceFirst; n > 0 {
		line("device writes", "%d on their way, the last arrives at %s ns", n, (c.deviceDone - epoch).Nanoseconds())
	}
	if c.monitor.set {
		line("monitor", "exclusive on line %s", bits.Hex(c.monitor.addr*mem.LineSize))
	}
	line("event register", "%s", choose(c.eventFlag, "set", "clear"))
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
	counts.add("MRS", s.SysRegReads)
	counts.add("MSR", s.SysRegWrites)
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
	case c.running:
		doing = "runs"
	case c.queued != nil:
		doing = "starts"
	default:
		return "none: the CPU takes an interrupt out of idle"
	}
	if c.irqMasked && c.irqLevel {
		doing += ", with an interrupt pending and masked"
	}
	return doing
}

// describeBuffer says how many stores have not drained by now, and when the last one will have.
func (c *CPU) describeBuffer(epoch sim.Time) string {
	now, n := c.proc.Now(), 0
	for i := range c.used {
		if c.buffer[(c.first+i)%len(c.buffer)] > now {
			n++
		}
	}
	text := fmt.Sprintf("%d of %d entries", n, len(c.buffer))
	if n > 0 {
		text += fmt.Sprintf(", drained at %s ns", (c.drained - epoch).Nanoseconds())
	}
	if c.acked > now {
		text += fmt.Sprintf("; acknowledged at %s ns", (c.acked - epoch).Nanoseconds())
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
