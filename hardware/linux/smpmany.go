package linux

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// The masks of struct cfd_data, which belong to the CPU that calls.
const (
	cfdCPUMask    = 0 // cfd->cpumask: whom to wait for
	cfdCPUMaskIPI = 1 // cfd->cpumask_ipi: whom to interrupt
)

// allocateCFD is smpcfd_prepare_cpu: a csd for each target, on the target's node, and masks.
func (k *Kernel) allocateCFD(caller int) error {
	l := &k.late
	if l.cfd == nil {
		l.cfd, l.cpumasks = make([][]csd, len(k.percpu)), make([][2]CPUMask, len(k.percpu))
	}
	if l.cfd[caller] != nil {
		return nil
	}
	var addrs []uint64
	if err := k.allocate(&addrs, k.cpus.nr, k.platform.Node); err != nil {
		return err
	}
	csds := make([]csd, len(addrs))
	for i := range csds {
		csds[i].addr = addrs[i]
	}
	l.cfd[caller] = csds
	l.cpumasks[caller] = [2]CPUMask{NewCPUMask(k.cpus.nr), NewCPUMask(k.cpus.nr)}
	return nil
}

// maskPass is the time of one pass over a mask of nr_cpu_ids bits that the CPU has in its cache.
func (k *Kernel) maskPass(c *cpu.CPU) { c.Delay(k.cost.maskWord * sim.Time(maskWords(k.cpus.nr))) }

// onlineOthers makes m what of a mask is online and not the CPU itself: cpumask_and with cpu_online_mask, and
// cpumask_clear_cpu. It reports whether the CPU itself was in the mask.
func (k *Kernel) onlineOthers(c *cpu.CPU, m, mask CPUMask) (self bool) {
	for i := range m {
		m[i] = mask[i] & k.ReadMaskWord(c, CPUOnlineMask, 64*i)
	}
	k.maskPass(c)
	self = mask.Has(c.ID)
	m[c.ID/64] &^= 1 << (c.ID % 64)
	return self
}

// A CallMask says whom a call is for, and how.
type CallMask struct {
	Mask CPUMask
	// Cond says whether a CPU of the mask is called, nil for all of them.
	Cond func(target int) bool
	// RunLocal is SCF_RUN_LOCAL: the caller is called too, if it is in the mask.
	RunLocal bool
	Wait     bool // until all have run it
}

// SMPCallFunctionManyCond is smp_call_function_many_cond: it runs f(info) on the CPUs of a mask that are online, by at
// most one request for interrupts.
func (k *Kernel) SMPCallFunctionManyCond(c *cpu.CPU, m CallMask, f Func, info uint64) error {
	if last := m.Mask.Last(); last >= 0 {
		if err := k.knows(last); err != nil {
			return err
		}
	}
	if err := k.allocateCFD(c.ID); err != nil {
		return err
	}
	c.Enter("smp_call_function_many_cond")
	defer c.Leave()
	c.Delay(k.cost.callMany)
	csds, masks := k.late.cfd[c.ID], &k.late.cpumasks[c.ID]
	self := k.onlineOthers(c, masks[cfdCPUMask], m.Mask)
	k.queueMany(c, &m, f, info)
	if m.RunLocal && self && (m.Cond == nil || m.Cond(c.ID)) {
		masked := k.Arch.LocalIRQSave(c)
		k.call(c, function(f), info)
		k.Arch.LocalIRQRestore(c, masked)
	}
	if m.Wait {
		for target := k.NextCPU(c, masks[cfdCPUMask], 0); target >= 0; {
			c.Delay(k.cost.lockWait)
			k.csdLockWait(c, csds[target].addr)
			target = k.NextCPU(c, masks[cfdCPUMask], target+1)
		}
	}
	return nil
}

// function is f, or the function that does nothing.
func function(f Func) Func {
	if f == nil {
		return empty
	}
	return f
}

// queueMany queues the call to each CPU, and interrupts those whose queue was empty.
func (k *Kernel) queueMany(c *cpu.CPU, m *CallMask, f Func, info uint64) {
	csds, masks := k.late.cfd[c.ID], &k.late.cpumasks[c.ID]
	ipi := masks[cfdCPUMaskIPI]
	clear(ipi)
	k.maskPass(c)
	count, one := 0, 0
	for target := k.NextCPU(c, masks[cfdCPUMask], 0); target >= 0; target = k.NextCPU(c, masks[cfdCPUMask], target+1) {
		c.Delay(k.cost.callEach)
		if m.Cond != nil && !m.Cond(target) {
			masks[cfdCPUMask][target/64] &^= 1 << (target % 64)
			continue
		}
		d := &csds[target]
		k.csdLockWait(c, d.addr) // csd_lock
		flags := uint64(csdFlagLock | csdTypeAsync)
		if m.Wait {
			flags = uint64(csdFlagLock | csdTypeSync)
		}
		c.Store(d.addr+csdFlags, 4, flags, bus.Plain)
		c.Fence(k.smpWMB)
		writeOnce(c, d.addr+csdFunc, k.number(c.ID, d, f))
		writeOnce(c, d.addr+csdInfo, info)
		if k.llistAdd(c, d.addr, k.percpu[target].queue) {
			ipi.Set(target)
			count, one = count+1, target
		}
	}
	switch count {
	case 0:
	case 1:
		k.sendCallFunctionSingleIPI(c, one)
	default:
		k.percpu[c.ID].counts.IPIsSent += uint64(count)
		k.port.ArchSendCallFunctionIPIMask(c, ipi)
	}
}

// OnEachCPUCondMask is on_each_cpu_cond_mask: a call that includes the caller.
func (k *Kernel) OnEachCPUCondMask(
	c *cpu.CPU, mask CPUMask, cond func(target int) bool, f Func, info uint64, wait bool,
) error {
	return k.SMPCallFunctionManyCond(c, CallMask{Mask: mask, Cond: cond, RunLocal: true, Wait: wait}, f, info)
}

// OnEachCPU is on_each_cpu: of all CPUs that are online.
func (k *Kernel) OnEachCPU(c *cpu.CPU, f Func, info uint64, wait bool) error {
	return k.OnEachCPUCondMask(c, k.cpus.all, nil, f, info, wait)
}
