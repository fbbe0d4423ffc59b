package linux

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
)

// struct __call_single_data (include/linux/smp_types.h): one cache line at most.
const (
	csdNext  = 0  // node.llist.next
	csdFlags = 8  // node.u_flags
	csdFunc  = 16 // func
	csdInfo  = 24 // info
)

// node.u_flags (include/linux/smp_types.h).
const (
	csdFlagLock  bits.Field = 0x01
	csdTypeAsync bits.Field = 0x00
	csdTypeSync  bits.Field = 0x10
	csdTypeMask  bits.Field = 0xf0
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

const hardIRQOffset = 1 << 16 // preempt_count: HARDIRQ_OFFSET

// SMPCallFunctionSingle runs f(info) on another CPU, smp_call_function_single. With wait it returns when f has run.
// f nil is the empty function. It fails for a CPU that is not online, -ENXIO there.
func (k *Kernel) SMPCallFunctionSingle(c *cpu.CPU, target int, f Func, info uint64, wait bool) error {
	if target < 0 || target >= len(k.percpu) {
		return fmt.Errorf("CPU %d: expected 0 to %d", target, len(k.percpu)-1)
	}
	probe := k.probe
	if probe != nil && wait && target != c.ID {
		probe.begin(c)
	} else {
		probe = nil
	}
	if c.Engine().Tracing {
		trace(c, "call smp_call_function_single(cpu %d, wait %t)", target, wait)
	}
	c.Delay(k.cost.callSingle)
	online := k.cpuOnline(c, target)
	p := &k.percpu[c.ID]
	csd, flags := p.csd, uint64(csdFlagLock|csdTypeAsync)
	if wait {
		var err error
		if csd, err = k.pushFrame(p); err != nil {
			return err
		}
		flags = uint64(csdFlagLock | csdTypeSync)
	} else {
		k.csdLockWait(c, csd) // csd_lock: the previous call must have been picked up
	}
	id := k.register(f)
	c.Store(csd+csdFlags, 4, flags, bus.Plain)
	if !wait {
		c.Fence(barrierFences[BarrierDMBISHST]) // csd_lock: smp_wmb
	}
	c.Store(csd+csdFunc, 8, id, bus.Plain)
	c.Store(csd+csdInfo, 8, info, bus.Plain)
	if online {
		k.genericExecSingle(c, target, csd)
	} else {
		c.Store(csd+csdFlags, 4, 0, bus.Release)
		k.release(id)
	}
	if wait && online {
		c.Delay(k.cost.lockWait)
		k.csdLockWait(c, csd)
	}
	if wait {
		p.depth-- // the frame
	}
	if !online {
		return fmt.Errorf("CPU %d is not online", target)
	}
	if probe != nil {
		probe.end(c)
	}
	if c.Engine().Tracing {
		trace(c, "return from smp_call_function_single")
	}
	return nil
}

// pushFrame gives a call that waits its csd on the stack. One that interrupts another call of its CPU, of which the
// kernel warns since it can deadlock, finds a frame further down.
func (k *Kernel) pushFrame(p *percpu) (csd uint64, err error) {
	if p.depth == len(p.frames) {
		if csd, err = k.platform.AllocateMemory(mem.LineSize); err != nil {
			return 0, fmt.Errorf("nested smp_call_function_single: %w", err)
		}
		p.frames = append(p.frames, csd)
	}
	p.depth++
	return p.frames[p.depth-1], nil
}

// cpuOnline is cpu_online(cpu): a load of its word of the mask.
func (k *Kernel) cpuOnline(c *cpu.CPU, target int) bool {
	word := c.Load(k.onlineAt+uint64(target/64*8), 8, bus.Plain)
	return word>>(target%64)&1 != 0
}

// release frees a function's number.
func (k *Kernel) release(id uint64) {
	if id != 0 {
		k.funcs[id] = nil
		k.free = append(k.free, id)
	}
}

// genericExecSingle is generic_exec_single: a call to the own CPU runs at once, any other is queued, and an IPI is sent
// if the queue was empty.
func (k *Kernel) genericExecSingle(c *cpu.CPU, target int, csd uint64) {
	c.Delay(k.cost.execSingle)
	if target == c.ID {
		id, info := c.Load(csd+csdFunc, 8, bus.Plain), c.Load(csd+csdInfo, 8, bus.Plain)
		c.Store(csd+csdFlags, 4, 0, bus.Release) // csd_unlock, before the call: nobody else looks
		masked := c.IRQMasked()                  // local_irq_save
		c.MaskIRQ(true)
		k.call(c, id, info)
		c.MaskIRQ(masked)
		return
	}
	if k.llistAdd(c, csd, k.percpu[target].queue) {
		k.sendCallFunctionSingleIPI(c, target)
	}
}

// call runs a numbered function.
func (k *Kernel) call(c *cpu.CPU, id, info uint64) {
	c.Delay(k.cost.callFunction)
	f := k.funcs[id]
	k.release(id)
	k.percpu[c.ID].counts.Functions++
	f(c, info)
}

// llistAdd is llist_add: it pushes a node and answers whether the list was empty. The cmpxchg is fully ordered (CASAL).
func (k *Kernel) llistAdd(c *cpu.CPU, node, head uint64) bool {
	first := c.Load(head, 8, bus.Plain)
	for {
		c.Store(node+csdNext, 8, first, bus.Plain)
		c.Delay(k.cost.llistAdd)
		old := c.Atomic(head, 8, bus.CompareAndSwap, node, first, bus.AcquireRelease)
		if old == first {
			return first == 0
		}
		first = old
	}
}

// sendCallFunctionSingleIPI is send_call_function_single_ipi: an idle task that polls needs no IPI. The idle task of
// arm64 waits in WFI and does not poll.
func (k *Kernel) sendCallFunctionSingleIPI(c *cpu.CPU, target int) {
	c.Delay(k.cost.sendSingle)
	if k.Options.PollingIdle && k.setNRIfPolling(c, target) {
		return
	}
	c.Delay(k.cost.crossCall)
	k.percpu[c.ID].counts.IPIsSent++
	k.Ops.GICIPISendMask(c, ArmCallFunctionIPI, k.percpu[target].cpumask)
}

// setNRIfPolling is set_nr_if_polling: a task that polls is told by TIF_NEED_RESCHED.
func (k *Kernel) setNRIfPolling(c *cpu.CPU, target int) bool {
	ti := c.Load(k.percpu[target].rq+rqIdle, 8, bus.Plain)
	flags := c.Load(ti+tiFlags, 8, bus.Plain)
	for tifPollingNRFlag.Is(flags) {
		if tifNeedResched.Is(flags) {
			return true
		}
		old := c.Atomic(ti+tiFlags, 8, bus.CompareAndSwap, flags|uint64(tifNeedResched), flags, bus.AcquireRelease)
		if old == flags {
			return true
		}
		flags = old
	}
	return false
}

// unlocked is the condition of csd_lock_wait.
func unlocked(flags uint64) bool { return !csdFlagLock.Is(flags) }

// csdLockWait is csd_lock_wait: smp_cond_load_acquire until the callee has unlocked the csd.
func (k *Kernel) csdLockWait(c *cpu.CPU, csd uint64) {
	c.Wait(csd+csdFlags, 4, bus.Acquire, unlocked, cpu.Forever)
}

// flushSMPCallFunctionQueue is flush_smp_call_function_queue: it takes the whole list, restores its order, and runs
// the synchronous calls, then the others, each type unlocking its csd where the kernel does.
func (k *Kernel) flushSMPCallFunctionQueue(c *cpu.CPU) {
	c.Delay(k.cost.flushQueue)
	entry := c.Atomic(k.percpu[c.ID].queue, 8, bus.Swap, 0, 0, bus.AcquireRelease) // llist_del_all
	entry = k.llistReverseOrder(c, entry)
	rest := uint64(0) // the asynchronous calls, still linked in order
	last := uint64(0)
	for entry != 0 {
		c.Delay(k.cost.flushEntry)
		next := c.Load(entry+csdNext, 8, bus.Plain)
		id, info := c.Load(entry+csdFunc, 8, bus.Plain), c.Load(entry+csdInfo, 8, bus.Plain)
		if csdTypeMask.Get(c.Load(entry+csdFlags, 4, bus.Plain)) == csdTypeMask.Get(uint64(csdTypeSync)) {
			k.call(c, id, info)
			if k.probe != nil {
				k.probe.unlock(c)
			}
			c.Store(entry+csdFlags, 4, 0, bus.Release) // csd_unlock: the caller's stack is its own again
			if last != 0 {
				c.Store(last+csdNext, 8, next, bus.Plain)
			}
		} else {
			if rest == 0 {
				rest = entry
			}
			last = entry
		}
		entry = next
	}
	for entry = rest; entry != 0; {
		next := c.Load(entry+csdNext, 8, bus.Plain)
		id, info := c.Load(entry+csdFunc, 8, bus.Plain), c.Load(entry+csdInfo, 8, bus.Plain)
		c.Store(entry+csdFlags, 4, 0, bus.Release) // csd_unlock before the call: the csd may be used again
		k.call(c, id, info)
		entry = next
	}
}

// llistReverseOrder is llist_reverse_order.
func (k *Kernel) llistReverseOrder(c *cpu.CPU, head uint64) uint64 {
	reversed := uint64(0)
	for head != 0 {
		next := c.Load(head+csdNext, 8, bus.Plain)
		c.Store(head+csdNext, 8, reversed, bus.Plain)
		reversed, head = head, next
	}
	return reversed
}

// trace writes a record under the CPU's name, behind all that happens before; callers stand behind Engine.Tracing.
func trace(c *cpu.CPU, format string, args ...any) {
	c.Proc().Sync() // the program may have run ahead, and records are in the order of their times
	c.Engine().Trace(c.Now(), c.String(), format, args...)
}
