package linux

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
)

// struct __call_single_data (include/linux/smp_types.h): one cache line at most. It begins with node.llist.
const (
	csdFlags = 8  // node.u_flags
	csdFunc  = 16 // func
	csdInfo  = 24 // info
)

// A csd is a call_single_data of a CPU. Its func in memory is a number: functions of the host have no address.
type csd struct {
	addr   uint64
	number uint64 // of function, in the kernel's text as it were: 0 until the csd has had one to call
}

// A Func is what a remote call runs, smp_call_func_t.
type Func func(c *cpu.CPU, info uint64)

// number is what a csd's func is in memory: the place of f in the owner's functions, under the owner's number; 0 is the
// empty function. The place belongs to the csd and is guarded by its lock, as the csd is.
func (k *Kernel) number(owner int, d *csd, f Func) uint64 {
	if f == nil {
		return 0
	}
	if path, explored := k.platform.CPUs[owner].Path(); explored {
		n, ok := k.text.number(path, f)
		if !ok {
			k.platform.CPUs[owner].Refuse(fmt.Errorf("more than %d ways to come to a call of a function", functionPlace))
		}
		return n
	}
	p := &k.percpu[owner]
	if d.number == 0 {
		p.funcs = append(p.funcs, nil)
		d.number = functionOwner.Put(uint64(len(p.funcs)), uint64(owner))
	}
	p.funcs[functionPlace.Get(d.number)-1] = f
	return d.number
}

// A function's number.
const (
	functionPlace bits.Field = 0xffff << 0      // [15:0] from 1, in the owner's functions
	functionOwner bits.Field = 0xffffffff << 16 // [47:16] CPU
)

// textOwner stands for no CPU: the number of a function in an execution graph. There a program is run again and again,
// and each way in which it has come to a call has a number of its own.
const textOwner = 0xffff_ffff

// text are the functions of calls in execution graphs, by the path of the caller.
type text struct {
	numbers map[uint64]uint64
	funcs   []Func
}

// number answers false if there are too many ways.
func (t *text) number(path uint64, f Func) (uint64, bool) {
	n, known := t.numbers[path]
	if !known {
		if uint64(len(t.funcs)) == uint64(functionPlace) {
			return 0, false
		}
		if t.numbers == nil {
			t.numbers = map[uint64]uint64{}
		}
		t.funcs = append(t.funcs, nil)
		n = functionOwner.Put(uint64(len(t.funcs)), textOwner)
		t.numbers[path] = n
	}
	t.funcs[functionPlace.Get(n)-1] = f
	return n, true
}

// empty is the function that a call with none runs.
func empty(*cpu.CPU, uint64) {}

// take is the function of a number that a csd held; whoever takes it holds the csd's lock, and gives the place up.
func (k *Kernel) take(number uint64) Func {
	if number == 0 {
		return empty
	}
	if functionOwner.Get(number) == textOwner {
		return k.text.funcs[functionPlace.Get(number)-1]
	}
	place := &k.percpu[functionOwner.Get(number)].funcs[functionPlace.Get(number)-1]
	f := *place
	*place = nil
	return f
}

// node.u_flags (include/linux/smp_types.h).
const (
	csdFlagLock  bits.Field = 0x01
	csdTypeAsync bits.Field = 0x00
	csdTypeSync  bits.Field = 0x10
	csdTypeMask  bits.Field = 0xf0
)

// SMPCallFunctionSingle runs f(info) on another CPU, smp_call_function_single. With wait it returns when f has run.
// f nil is the empty function. It fails for a CPU that is not online, -ENXIO there.
func (k *Kernel) SMPCallFunctionSingle(c *cpu.CPU, target int, f Func, info uint64, wait bool) error {
	if err := k.knows(target); err != nil {
		return err
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
	d, flags := &p.data, uint64(csdFlagLock|csdTypeAsync)
	if wait {
		var err error
		if d, err = k.pushFrame(c.ID); err != nil {
			return err
		}
		flags = uint64(csdFlagLock | csdTypeSync)
	} else {
		k.csdLockWait(c, d.addr) // csd_lock: the previous call must have been picked up
	}
	number := uint64(0) // nobody takes the call of an offline CPU
	if online {
		number = k.number(c.ID, d, f)
	}
	c.Store(d.addr+csdFlags, 4, flags, bus.Plain)
	if !wait {
		c.Fence(k.smpWMB) // csd_lock
	}
	writeOnce(c, d.addr+csdFunc, number)
	writeOnce(c, d.addr+csdInfo, info)
	if online {
		k.genericExecSingle(c, target, d.addr)
	} else {
		k.csdUnlock(c, d.addr)
	}
	if wait && online {
		c.Delay(k.cost.lockWait)
		k.csdLockWait(c, d.addr)
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
func (k *Kernel) pushFrame(cpu int) (*csd, error) {
	p := &k.percpu[cpu]
	if p.depth == len(p.frames) {
		addr, err := k.platform.AllocateMemory(mem.LineSize, k.stackNode(cpu))
		if err != nil {
			return nil, fmt.Errorf("nested smp_call_function_single: %w", err)
		}
		p.frames = append(p.frames, csd{addr: addr})
	}
	p.depth++
	return &p.frames[p.depth-1], nil
}

// genericExecSingle is generic_exec_single: a call to the own CPU runs at once, any other is queued, and an IPI is sent
// if the queue was empty.
func (k *Kernel) genericExecSingle(c *cpu.CPU, target int, csd uint64) {
	c.Delay(k.cost.execSingle)
	if target == c.ID {
		f, info := k.load(c, csd)
		k.csdUnlock(c, csd) // before the call: nobody else looks
		masked := k.Arch.LocalIRQSave(c)
		k.call(c, f, info)
		k.Arch.LocalIRQRestore(c, masked)
		return
	}
	if k.llistAdd(c, csd, k.percpu[target].queue) {
		k.sendCallFunctionSingleIPI(c, target)
	}
}

// load reads a csd's function, with the csd locked.
func (k *Kernel) load(c *cpu.CPU, csd uint64) (f Func, info uint64) {
	number := readOnce(c, csd+csdFunc)
	callee := c.Loaded()
	info = readOnce(c, csd+csdInfo)
	c.Branch(callee)
	return k.take(number), info
}

// call runs a function.
func (k *Kernel) call(c *cpu.CPU, f Func, info uint64) {
	c.Delay(k.cost.callFunction)
	k.percpu[c.ID].counts.Functions++
	f(c, info)
}

// csdUnlock is csd_unlock: the csd is its owner's again.
func (k *Kernel) csdUnlock(c *cpu.CPU, csd uint64) { k.Arch.SmpStoreRelease(c, csd+csdFlags, 4, 0) }

// unlocked is the condition of csd_lock_wait.
func unlocked(flags uint64) bool { return !csdFlagLock.Is(flags) }

// csdLockWait is csd_lock_wait: smp_cond_load_acquire until the callee has unlocked the csd.
func (k *Kernel) csdLockWait(c *cpu.CPU, csd uint64) {
	k.Arch.SmpCondLoadAcquire(c, csd+csdFlags, 4, unlocked)
}

// GenericSMPCallFunctionInterrupt is generic_smp_call_function_single_interrupt, the handler of the IPI.
func (k *Kernel) GenericSMPCallFunctionInterrupt(c *cpu.CPU) {
	k.percpu[c.ID].counts.IPIs++
	k.flushSMPCallFunctionQueue(c)
}

// flushSMPCallFunctionQueue is flush_smp_call_function_queue: it takes the whole list, restores its order, and runs
// the synchronous calls, then the others, each type unlocking its csd where the kernel does.
func (k *Kernel) flushSMPCallFunctionQueue(c *cpu.CPU) {
	c.Delay(k.cost.flushQueue)
	entry := k.llistReverseOrder(c, k.llistDelAll(c, k.percpu[c.ID].queue))
	rest := uint64(0) // the asynchronous calls, still linked in order
	last := uint64(0)
	for entry != 0 {
		c.Delay(k.cost.flushEntry)
		next := readOnce(c, entry+llistNext)
		more := c.Loaded()
		number := readOnce(c, entry+csdFunc)
		callee := c.Loaded()
		info := readOnce(c, entry+csdInfo)
		kind := csdTypeMask.Get(c.Load(entry+csdFlags, 4, bus.Plain))
		c.Branch(c.Loaded())
		if kind == csdTypeMask.Get(uint64(csdTypeSync)) {
			c.Branch(callee)
			k.call(c, k.take(number), info)
			if k.probe != nil {
				k.probe.unlock(c)
			}
			k.csdUnlock(c, entry)
			if last != 0 {
				writeOnce(c, last+llistNext, next)
			}
		} else {
			if rest == 0 {
				rest = entry
			}
			last = entry
		}
		c.Branch(more)
		entry = next
	}
	for entry = rest; entry != 0; {
		next := readOnce(c, entry+llistNext)
		more := c.Loaded()
		f, info := k.load(c, entry)
		k.csdUnlock(c, entry) // before the call: the csd may be used again
		k.call(c, f, info)
		c.Branch(more)
		entry = next
	}
}

// trace writes a record under the CPU's name, behind all that happens before; callers stand behind Engine.Tracing.
func trace(c *cpu.CPU, format string, args ...any) {
	c.Proc().Sync() // the program may have run ahead, and records are in the order of their times
	c.Engine().Trace(c.Now(), c.String(), format, args...)
}
