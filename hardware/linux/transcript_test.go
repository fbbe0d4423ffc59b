package linux_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/linux/arm64"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
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
	for i, block := range strings.Split(strings.TrimSuffix(text, "\n"), "\n\n") {
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
	t     *testing.T
	m     *machine.Machine
	start sim.Time // of the machine's life after the boot
	data  uint64   // seven lines for programs
	log   strings.Builder
}

// Trace is sim.Tracer: times count from the end of the boot.
func (p *player) Trace(at sim.Time, source, what string) {
	fmt.Fprintf(&p.log, "%9s  %s  %s\n", (at - p.start).Nanoseconds(), source, what)
}

// command carries out one command and answers its output.
//
//	machine virt cpus=4      a preset without jitter, booted; online=3 leaves the rest offline; barrier=dsb_st,
//	                         eoimode=0; online=0 boots nothing
//	boot 0                   the boot of one CPU: its register accesses in order, equal neighbours as one line
//	barriers                 every barrier of gic_ipi_send_mask behind two stores, on a machine of its own: what it is
//	                         and waits for, and when the SGI is written, counted from the first store
//	program 0                CPU0 runs the steps below, as step describes them
//	run                      runs until nothing is pending; shows the trace
//	run msr ICC_SGI1R_EL1    the same, but only what contains one of the texts, which are parted by "|"
//	counts                   software events of all CPUs, and the function numbers
func (p *player) command(words []string, steps []string) string {
	p.t.Helper()
	verb, args := words[0], words[1:]
	switch verb {
	case "machine":
		p.build(args[0], args[1:])
		return ""
	case "boot":
		return p.boot(p.number(args[0]))
	case "barriers":
		return p.barriers()
	case "program":
		c := p.m.CPUs[p.number(args[0])]
		if err := c.Start(program{c, p.steps(steps)}); err != nil {
			p.t.Error(err)
		}
		return ""
	case "run":
		return p.run(strings.Join(args, " "))
	case "counts":
		return p.counts()
	}
	p.t.Fatalf("unknown command %q", verb)
	return ""
}

func (p *player) build(preset string, options []string) {
	p.t.Helper()
	spec, ok := machine.Preset(preset)
	if !ok {
		p.t.Fatalf("no preset %q", preset)
	}
	spec.Jitter = false
	online := -1
	for _, o := range options {
		key, value, _ := strings.Cut(o, "=")
		switch key {
		case "cpus":
			spec.CPUs = p.number(value)
		case "online":
			online = p.number(value)
		case "barrier":
			driver(&spec).IPIBarrier = p.barrier(value)
		case "eoimode":
			driver(&spec).EOImode1 = value == "1"
		default:
			p.t.Fatalf("unknown option %q", o)
		}
	}
	p.m = newMachine(p.t, spec)
	if online < 0 {
		online = spec.CPUs
	}
	for i := range online {
		bootCPU(p.t, p.m, i)
	}
	var err error
	if p.data, err = p.m.Memory.Alloc(7 * mem.LineSize); err != nil {
		p.t.Fatal(err)
	}
	p.start = p.m.Engine.Now()
}

func (p *player) boot(c int) string {
	p.log.Reset()
	p.m.Engine.Attach(sim.TextTracer(p.Trace))
	bootCPU(p.t, p.m, c)
	p.m.Engine.Detach()
	return registerAccesses(p.log.String())
}

func (p *player) run(filter string) string {
	p.log.Reset()
	p.m.Engine.Attach(sim.TextTracer(p.Trace))
	if err := p.m.Drive(nil); err != nil {
		fmt.Fprintln(&p.log, err)
	}
	p.m.Engine.Detach()
	if filter == "" {
		return p.log.String()
	}
	var out strings.Builder
	for l := range strings.Lines(p.log.String()) {
		for _, text := range strings.Split(filter, "|") {
			if strings.Contains(l, text) {
				out.WriteString(l)
				break
			}
		}
	}
	return out.String()
}

func (p *player) barriers() string {
	var out strings.Builder
	for _, name := range irqchip.IPIBarriers() {
		p.build("virt", []string{"cpus=2", "barrier=" + name})
		p.command([]string{"program", "1"}, []string{"load 2"})
		p.command([]string{"run"}, nil)
		p.start = p.m.Engine.Now()
		p.command([]string{"program", "0"}, []string{"store 2", "send 1"})
		fence, sent := "", ""
		for l := range strings.Lines(p.command([]string{"run", "CPU0"}, nil)) {
			at, what, _ := strings.Cut(strings.TrimSpace(l), "  CPU0  ")
			if strings.HasPrefix(what, "dmb") || strings.HasPrefix(what, "dsb") {
				fence = what
			} else if strings.HasPrefix(what, "msr ICC_SGI1R_EL1") {
				sent = at
			}
		}
		fmt.Fprintf(&out, "%-9s  %-27s  msr at %7s\n", name, fence, sent)
	}
	return out.String()
}

func (p *player) counts() string {
	var out strings.Builder
	for i := range p.m.CPUs {
		c := p.m.Kernel.Counts(i)
		fmt.Fprintf(&out, "CPU%d  sent %d, handled %d, spurious %d, functions %d\n", i, c.IPIsSent, c.IPIs, c.Spurious,
			c.Functions)
	}
	made, free := p.m.Kernel.FunctionNumbers()
	fmt.Fprintf(&out, "function numbers: %d made, %d free\n", made, free)
	return out.String()
}

func (p *player) steps(steps []string) func(c *cpu.CPU) {
	return func(c *cpu.CPU) {
		for _, s := range steps {
			p.step(c, strings.Fields(s))
		}
	}
}

// step makes one step of a program.
//
//	until 1000          work until 1000 ns
//	store 7             one store to each of seven lines
//	load 2              loads of the first two of them
//	call 1              smp_call_function_single of the empty function, with wait
//	call 1 hello        of a function that notes "hello"
//	post 1 hello        without wait
//	send 1 2 5          gic_ipi_send_mask of IPI_CALL_FUNC to these CPUs; "1-47" is a range
//	withdraw 1          clears what is pending in CPU1's redistributor (GICR_ICPENDR0)
//	mask, unmask        PSTATE.I
func (p *player) step(c *cpu.CPU, words []string) {
	k := p.m.Kernel
	switch verb, args := words[0], words[1:]; verb {
	case "until":
		c.Delay(p.start + sim.Time(p.number(args[0]))*sim.Nanosecond - c.Now())
	case "store":
		for i := range p.number(args[0]) {
			c.Store(p.data+uint64(i)*mem.LineSize, 8, 1, bus.Plain)
		}
	case "load":
		for i := range p.number(args[0]) {
			c.Load(p.data+uint64(i)*mem.LineSize, 8, bus.Plain)
		}
	case "call", "post":
		var f linux.Func
		if len(args) > 1 {
			f = func(c *cpu.CPU, info uint64) { p.note(c, "%s, info %d", args[1], info) }
		}
		if err := k.SMPCallFunctionSingle(c, p.number(args[0]), f, 42, verb == "call"); err != nil {
			p.note(c, "error: %v", err)
		}
	case "send":
		chip(p.m).Ops.GICIPISendMask(c, arm64.IPICallFunc, p.mask(args))
	case "withdraw":
		spec := p.m.Board.(*machine.ArmBoard).GIC().Spec()
		c.Store(uint64(spec.RedistributorBase(p.number(args[0])))+gic.GICR_ICPENDR0, 4, 0xffff_ffff, bus.Plain)
	case "mask", "unmask":
		c.MaskIRQ(verb == "mask")
	default:
		p.t.Errorf("unknown step %q", words)
	}
}

// note writes a line of a program's own into the trace.
func (p *player) note(c *cpu.CPU, format string, args ...any) {
	c.Proc().Sync()
	p.m.Engine.Trace(c.Now(), c.String(), format, args...)
}

// mask reads a list of CPUs and of ranges of CPUs.
func (p *player) mask(words []string) linux.CPUMask {
	m := linux.NewCPUMask(len(p.m.CPUs))
	for _, w := range words {
		first, last, isRange := strings.Cut(w, "-")
		if !isRange {
			last = first
		}
		for i := p.number(first); i <= p.number(last); i++ {
			m.Set(i)
		}
	}
	return m
}

func (p *player) barrier(name string) irqchip.IPIBarrier {
	b, ok := irqchip.ParseIPIBarrier(name)
	if !ok {
		p.t.Fatalf("no barrier %q", name)
	}
	return b
}

func (p *player) number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		p.t.Error(err)
	}
	return n
}
