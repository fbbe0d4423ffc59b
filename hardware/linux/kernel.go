package linux

import (
	"fmt"
	"slices"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A Func is what a remote call runs, smp_call_func_t.
type Func func(c *cpu.CPU, info uint64)

// Ops are the paths that can be replaced as a whole.
type Ops struct {
	// GICIPISendMask is gic_chip.ipi_send_mask: it interrupts every CPU of the mask with a software generated
	// interrupt.
	GICIPISendMask func(c *cpu.CPU, intid int, mask CPUMask)
}

// Platform is what firmware tells the kernel.
type Platform struct {
	MPIDRs         []uint64     // of the logical CPUs, cpu_logical_map
	GICD           uint64       // physical address of the distributor
	GICRs          []GICRRegion // redistributor regions, as in the device tree
	AllocateMemory func(size uint64) (uint64, error)
	CPUs           []*cpu.CPU
}

// A GICRRegion is one contiguous region of redistributors.
type GICRRegion struct {
	Base, Size uint64
}

// Kernel is one running kernel.
type Kernel struct {
	Options Options
	Costs   Costs
	Ops     Ops

	platform Platform
	percpu   []percpu
	online   CPUMask
	onlineAt uint64 // cpu_online_mask in memory
	bits     *bitBitmap
	funcs    []Func // the functions that csds in flight point to; index 0 is the empty function
	free     []uint64
	gicd     gicState
	probe    *Probe
	cost     costTimes
	irqs     map[int]Func
}

// percpu is one CPU's data: addresses in simulated memory.
type percpu struct {
	mpidr      uint64
	queue      uint64   // call_single_queue.first
	frames     []uint64 // csds on the stack: of smp_call_function_single, and of calls inside it
	depth      int      // how many of them are in use
	csd        uint64   // csd_data, for calls that do not wait
	rq         uint64   // runqueue: rq->idle
	threadInfo uint64   // of the idle task: flags, preempt_count
	gicr       uint64   // its redistributor, found at boot
	cpumask    CPUMask
	sgi        sgiTarget
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
	callSingle, execSingle, llistAdd, sendSingle, crossCall, sendMask, targetList, maskWord, lockWait sim.Time
	irqEntry, handleIRQ, flushQueue, flushEntry, callFunction, irqExit                                sim.Time
}

// New lays the kernel's data out in memory. [Kernel.BootCPU] makes it run.
func New(options Options, costs Costs, platform Platform) (*Kernel, error) {
	n := len(platform.CPUs)
	k := &Kernel{
		Options: options, Costs: costs, platform: platform, percpu: make([]percpu, n), online: NewCPUMask(n),
		bits: newBitBitmap(n), funcs: []Func{func(*cpu.CPU, uint64) {}},
	}
	k.Ops.GICIPISendMask = k.gicIPISendMask
	f := platform.CPUs[0].Spec().Clock
	k.cost = costTimes{
		f.Cycles(costs.CallSingle), f.Cycles(costs.ExecSingle), f.Cycles(costs.LlistAdd), f.Cycles(costs.SendSingle),
		f.Cycles(costs.CrossCall), f.Cycles(costs.SendMask), f.Cycles(costs.TargetList), f.Cycles(costs.MaskWord),
		f.Cycles(costs.LockWait), f.Cycles(costs.IRQEntry), f.Cycles(costs.HandleIRQ), f.Cycles(costs.FlushQueue),
		f.Cycles(costs.FlushEntry), f.Cycles(costs.CallFunction), f.Cycles(costs.IRQExit),
	}
	var err error
	if k.onlineAt, err = platform.AllocateMemory(uint64(8 * maskWords(n))); err != nil {
		return nil, err
	}
	for i := range k.percpu {
		p := &k.percpu[i]
		p.mpidr = platform.MPIDRs[i]
		p.cpumask = k.bits.of(i)
		p.sgi = newSGITarget(p.mpidr)
		p.frames = make([]uint64, 1)
		for _, line := range []*uint64{&p.queue, &p.frames[0], &p.csd, &p.rq, &p.threadInfo} {
			if *line, err = platform.AllocateMemory(64); err != nil {
				return nil, fmt.Errorf("per-CPU data of CPU%d: %w", i, err)
			}
		}
		platform.CPUs[i].SetVector(k)
		platform.CPUs[i].SetSymbols(k.Symbol)
	}
	return k, nil
}

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
		csdNext: csd + ".node.llist.next", csdFlags: csd + ".node.u_flags", csdFunc: csd + ".func", csdInfo: csd + ".info",
	}
}

// Symbol names an address in the kernel's data as its source does, "" for any other address.
func (k *Kernel) Symbol(addr uint64) string {
	if span := uint64(8 * maskWords(len(k.percpu))); addr-k.onlineAt < span {
		return fmt.Sprintf("cpu_online_mask[%d]", (addr-k.onlineAt)/8)
	}
	offset := addr % mem.LineSize
	for i := range k.percpu {
		p := &k.percpu[i]
		var names map[uint64]string
		switch line := addr - offset; {
		case line == p.queue:
			names = queueNames
		case slices.Contains(p.frames, line):
			names = stackNames
		case line == p.csd:
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
	return ""
}

// Online is cpu_online_mask.
func (k *Kernel) Online() CPUMask { return k.online }

// Counts are the software events of a CPU.
func (k *Kernel) Counts(cpu int) Counts { return k.percpu[cpu].counts }

// SetProbe makes every remote call that waits report where its time went, nil for none.
func (k *Kernel) SetProbe(p *Probe) { k.probe = p }

// register numbers a function so that a csd in simulated memory can point to it.
func (k *Kernel) register(f Func) uint64 {
	if f == nil {
		return 0
	}
	if n := len(k.free); n > 0 {
		id := k.free[n-1]
		k.free = k.free[:n-1]
		k.funcs[id] = f
		return id
	}
	k.funcs = append(k.funcs, f)
	return uint64(len(k.funcs) - 1)
}

// ArmCallFunctionIPI is the SGI of IPI_CALL_FUNC (arch/arm64/kernel/smp.c, enum ipi_msg_type).
const ArmCallFunctionIPI = 1

// ipiCount is the number of SGIs that the kernel uses, NR_IPI of 5.17.
const ipiCount = 7

// defaultPriority is GICD_INT_DEF_PRI.
const defaultPriority = 0xa0

// sgiTarget is a CPU's place in ICC_SGI1R_EL1.
type sgiTarget struct {
	cluster uint64 // everything but TargetList and INTID
	bit     uint64 // TargetList
}

// newSGITarget splits an MPIDR as MPIDR_TO_SGI_CLUSTER_ID and MPIDR_TO_SGI_RS do.
func newSGITarget(mpidr uint64) sgiTarget {
	aff0 := affinity0.Get(mpidr)
	w := gic.ICC_SGI1R_EL1_Aff1.Put(0, affinity1.Get(mpidr))
	w = gic.ICC_SGI1R_EL1_Aff2.Put(w, affinity2.Get(mpidr))
	w = gic.ICC_SGI1R_EL1_Aff3.Put(w, affinity3.Get(mpidr))
	w = gic.ICC_SGI1R_EL1_RS.Put(w, aff0/16)
	return sgiTarget{cluster: w, bit: 1 << (aff0 % 16)}
}

// setBit is set_bit: an atomic on a word in memory.
func setBit(c *cpu.CPU, word uint64, bit int) {
	c.Atomic(word, 8, bus.Set, 1<<bit, 0, bus.Plain)
}
