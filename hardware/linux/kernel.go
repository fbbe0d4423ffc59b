package linux

import (
	"fmt"
	"slices"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Platform is the machine that the kernel runs on.
type Platform struct {
	Arch           Arch
	CPUs           []*cpu.CPU
	AllocateMemory func(size uint64, node int) (uint64, error)
	Node           func(cpu int) int // of a CPU
	// Peek is what memory holds, for inspection alone, and Poke changes it as a debugger does.
	Peek func(addr uint64, size uint8) uint64
	Poke func(addr uint64, size uint8, v uint64)
}

// Kernel is one running kernel.
type Kernel struct {
	Arch    Arch
	Options Options
	Costs   Costs

	platform Platform
	chip     IRQChip
	port     Port
	percpu   []percpu
	cpus     cpus
	bits     *bitBitmap
	smpWMB   bus.Fence
	smpMB    bus.Fence
	dsbSY    bus.Fence
	late     late
	probe    *Probe
	cost     costTimes
	irqs     map[int]Func
	text     text
}

// percpu is one CPU's data: addresses in simulated memory, and what only the CPU itself uses.
type percpu struct {
	queue      uint64 // call_single_queue.first
	frames     []csd  // on the stack: of smp_call_function_single, and of calls inside it
	depth      int    // how many of them are in use
	data       csd    // csd_data, for calls that do not wait
	funcs      []Func // of its csds, each guarded by the lock of its csd
	rq         uint64 // runqueue: rq->idle
	threadInfo uint64 // of the idle task: flags, preempt_count
	stack      uint64 // the lines below the csds
	cpumask    CPUMask
	copied     CPUMask // a mask on the stack
	counts     Counts
}

// Counts are one CPU's software events.
type Counts struct {
	IPIsSent  uint64
	IPIs      uint64 // call-function interrupts handled
	Spurious  uint64 // ICC_IAR1_EL1 said 1023
	Functions uint64 // remote functions run
}

// costTimes are Costs in time.
type costTimes struct {
	callSingle, execSingle, callMany, callEach sim.Time
	llistAdd, sendSingle, maskWord, lockWait   sim.Time
	flushQueue, flushEntry, callFunction       sim.Time
}

// New lays the kernel's data out in memory. [Kernel.Plug] completes it, [Kernel.BootCPU] makes it run.
func New(options Options, costs Costs, platform Platform) (*Kernel, error) {
	n := len(platform.CPUs)
	k := &Kernel{
		Arch: platform.Arch, Options: options, Costs: costs, platform: platform, percpu: make([]percpu, n),
		bits: newBitBitmap(limit(options.NRCPUs, n)),
	}
	k.smpWMB, k.smpMB, k.dsbSY = k.Barrier("smp_wmb"), k.Barrier("smp_mb"), k.Barrier("dsb(sy)")
	f := k.Clock()
	k.cost = costTimes{
		f.Cycles(costs.CallSingle), f.Cycles(costs.ExecSingle), f.Cycles(costs.CallMany), f.Cycles(costs.CallEach),
		f.Cycles(costs.LlistAdd), f.Cycles(costs.SendSingle), f.Cycles(costs.MaskWord), f.Cycles(costs.LockWait),
		f.Cycles(costs.FlushQueue), f.Cycles(costs.FlushEntry), f.Cycles(costs.CallFunction),
	}
	if err := k.setupCPUs(); err != nil {
		return nil, err
	}
	for i := range k.percpu {
		p := &k.percpu[i]
		if i < k.cpus.nr {
			p.cpumask, p.copied = k.bits.of(i), NewCPUMask(k.cpus.nr)
		}
		p.frames = make([]csd, 1)
		own, stack := platform.Node(i), k.stackNode(i)
		for _, line := range []struct {
			addr  *uint64
			node  int
			lines uint64
		}{
			{&p.queue, own, 1}, {&p.frames[0].addr, stack, 1}, {&p.data.addr, own, 1}, {&p.rq, own, 1},
			{&p.threadInfo, stack, 1}, {&p.stack, stack, k.stackLines()},
		} {
			var err error
			if *line.addr, err = platform.AllocateMemory(line.lines*mem.LineSize, line.node); err != nil {
				return nil, fmt.Errorf("per-CPU data of CPU%d: %w", i, err)
			}
		}
		platform.CPUs[i].SetSymbols(k.Symbol)
	}
	return k, nil
}

// stackNode is the node of the stacks of a CPU's tasks.
func (k *Kernel) stackNode(cpu int) int {
	if k.Options.StackNode == OwnNode {
		return k.platform.Node(cpu)
	}
	return k.Options.StackNode
}

// Clock is the CPUs' clock: what the cycles of [Costs] are counted in.
func (k *Kernel) Clock() sim.Freq { return k.platform.CPUs[0].Spec().Clock }

// The names of what stands in the lines of a CPU's data, by offset.
var (
	queueNames      = map[uint64]string{0: "call_single_queue.first"}
	stackNames      = csdNames("csd_stack")
	csdDataNames    = csdNames("csd_data")
	rqNames         = map[uint64]string{rqIdle: "rq->idle"}
	threadInfoNames = map[uint64]string{
		tiFlags: "idle thread_info.flags", tiPreemptCount: "idle thread_info.preempt_count",
	}
)

func csdNames(csd string) map[uint64]string {
	return map[uint64]string{
		llistNext: csd + ".node.llist.next", csdFlags: csd + ".node.u_flags", csdFunc: csd + ".func", csdInfo: csd + ".info",
	}
}

// Symbol names an address in the kernel's data as its source does, "" for any other address.
func (k *Kernel) Symbol(addr uint64) string {
	if name := k.cpus.symbol(addr); name != "" {
		return name
	}
	offset := addr % mem.LineSize
	for i := range k.percpu {
		p := &k.percpu[i]
		if line := (addr - p.stack) / mem.LineSize; line < k.stackLines() && offset == 0 {
			return fmt.Sprintf("stack[%d] of cpu %d", line, i)
		}
		var names map[uint64]string
		switch line := addr - offset; {
		case line == p.queue:
			names = queueNames
		case slices.ContainsFunc(p.frames, func(d csd) bool { return d.addr == line }):
			names = stackNames
		case line == p.data.addr:
			names = csdDataNames
		case line == p.rq:
			names = rqNames
		case line == p.threadInfo:
			names = threadInfoNames
		default:
			continue
		}
		if name := names[offset]; name != "" {
			return fmt.Sprintf("%s of cpu %d", name, i)
		}
		return ""
	}
	if name := k.lateSymbol(addr); name != "" {
		return name
	}
	if driver, has := k.chip.(interface{ Symbol(addr uint64) string }); has { // data of its own in memory
		return driver.Symbol(addr)
	}
	return ""
}

// Counts are the software events of a CPU.
func (k *Kernel) Counts(cpu int) Counts { return k.percpu[cpu].counts }

// SetProbe makes every remote call that waits report where its time went, nil for none.
func (k *Kernel) SetProbe(p *Probe) { k.probe = p }
