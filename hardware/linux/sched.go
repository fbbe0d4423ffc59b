package linux

import (
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// Offsets in the idle task's thread_info and in the runqueue.
const (
	tiFlags        = 0
	tiPreemptCount = 16
	rqIdle         = 0
)

const (
	tifPollingNRFlag bits.Field = 1 << 16 // TIF_POLLING_NRFLAG: the idle task polls and needs no IPI
	tifNeedResched   bits.Field = 1 << 1
)

// InitIdle is init_idle: the CPU runs its idle task.
func (k *Kernel) InitIdle(c *cpu.CPU) {
	p := &k.percpu[c.ID]
	writeOnce(c, p.rq+rqIdle, p.threadInfo)
	writeOnce(c, p.threadInfo+tiPreemptCount, 0)
}

// sendCallFunctionSingleIPI is send_call_function_single_ipi (kernel/sched/core.c): an idle task that polls needs no
// IPI. The idle task of arm64 waits in WFI and does not poll.
func (k *Kernel) sendCallFunctionSingleIPI(c *cpu.CPU, target int) {
	c.Delay(k.cost.sendSingle)
	if k.Options.PollingIdle && k.setNRIfPolling(c, target) {
		return
	}
	k.percpu[c.ID].counts.IPIsSent++
	k.port.ArchSendCallFunctionSingleIPI(c, target)
}

// setNRIfPolling is set_nr_if_polling: a task that polls is told by TIF_NEED_RESCHED.
func (k *Kernel) setNRIfPolling(c *cpu.CPU, target int) bool {
	ti := readOnce(c, k.percpu[target].rq+rqIdle)
	flags := readOnce(c, ti+tiFlags)
	for tifPollingNRFlag.Is(flags) {
		if tifNeedResched.Is(flags) {
			return true
		}
		old := k.Arch.Cmpxchg(c, ti+tiFlags, flags, flags|uint64(tifNeedResched))
		if old == flags {
			return true
		}
		flags = old
	}
	return false
}
