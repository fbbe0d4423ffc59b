package linux

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// CPU hotplug (kernel/cpu.c): what of it touches interrupts between CPUs, in its order. Threads, timers and the
// migration of interrupts are left out.

// What stands in the line of cpu_hotplug_lock: percpu_rw_semaphore.block, cpu_running.done (arch/arm64/kernel/smp.c),
// and the done of the CPU that comes or goes (cpuhp_cpu_state.done_up, .done_down).
const (
	hotplugBlock   = 0
	hotplugRunning = 8
	hotplugDone    = 16
)

var hotplugNames = map[uint64]string{
	hotplugBlock: "cpu_hotplug_lock.block", hotplugRunning: "cpu_running.done", hotplugDone: "cpuhp_cpu_state.done",
}

func (k *Kernel) allocateHotplug() error {
	err := k.allocate(&k.late.hotplug, 1, onFirst)
	if err == nil {
		err = k.allocate(&k.late.readers, len(k.percpu), k.platform.Node)
	}
	return err
}

// isZero is the condition of a wait for a word to become 0, and isSet for any other value.
func isZero(v uint64) bool { return v == 0 }
func isSet(v uint64) bool  { return v != 0 }

// CPUsReadLock is cpus_read_lock: no CPU comes or goes until [Kernel.CPUsReadUnlock]. It is the slow path of
// percpu_down_read, in which a barrier stands for RCU.
func (k *Kernel) CPUsReadLock(c *cpu.CPU) error {
	if err := k.allocateHotplug(); err != nil {
		return err
	}
	count, block := k.late.readers[c.ID], k.late.hotplug[0]+hotplugBlock
	for {
		writeOnce(c, count, readOnce(c, count)+1)
		c.Fence(k.smpMB)
		blocked := c.Load(block, 8, bus.Acquire)
		c.Branch(c.Loaded())
		if blocked == 0 {
			return nil
		}
		k.CPUsReadUnlock(c)
		k.Arch.SmpCondLoadAcquire(c, block, 8, isZero)
	}
}

// CPUsReadUnlock is cpus_read_unlock.
func (k *Kernel) CPUsReadUnlock(c *cpu.CPU) {
	c.Fence(k.smpMB)
	count := k.late.readers[c.ID]
	writeOnce(c, count, readOnce(c, count)-1)
}

// cpusWriteLock is cpus_write_lock: it keeps new readers out, and waits for those inside.
func (k *Kernel) cpusWriteLock(c *cpu.CPU) {
	block := k.late.hotplug[0] + hotplugBlock
	for k.Arch.Cmpxchg(c, block, 0, 1) != 0 {
		k.Arch.SmpCondLoadAcquire(c, block, 8, isZero)
	}
	for _, count := range k.late.readers[:k.cpus.nr] {
		k.Arch.SmpCondLoadAcquire(c, count, 8, isZero)
	}
}

func (k *Kernel) cpusWriteUnlock(c *cpu.CPU) {
	k.Arch.SmpStoreRelease(c, k.late.hotplug[0]+hotplugBlock, 8, 0)
}

// complete is complete() of one of the completions of hotplug, and waitForCompletion waits for it and takes it back.
func (k *Kernel) complete(c *cpu.CPU, what uint64) {
	k.Arch.SmpStoreRelease(c, k.late.hotplug[0]+what, 8, 1)
}

func (k *Kernel) waitForCompletion(c *cpu.CPU, what uint64) {
	k.Arch.SmpCondLoadAcquire(c, k.late.hotplug[0]+what, 8, isSet)
	writeOnce(c, k.late.hotplug[0]+what, 0)
}

// hotplug brings a CPU up or down with cpu_hotplug_lock held.
func (k *Kernel) hotplug(c *cpu.CPU, target int, change func(c *cpu.CPU, target int) error) error {
	if err := k.knows(target); err != nil {
		return err
	}
	if err := k.allocateHotplug(); err != nil {
		return err
	}
	k.cpusWriteLock(c)
	defer k.cpusWriteUnlock(c)
	return change(c, target)
}

// CPUUp is cpu_up: it brings a CPU up that is present and not online.
func (k *Kernel) CPUUp(c *cpu.CPU, target int) error { return k.hotplug(c, target, k.up) }

func (k *Kernel) up(c *cpu.CPU, target int) error {
	switch {
	case !k.testCPU(c, CPUPresentMask, target):
		return fmt.Errorf("CPU %d is not present", target)
	case k.cpuOnline(c, target):
		return fmt.Errorf("CPU %d is online already", target)
	}
	b := &bringUp{kernel: k, cpu: k.platform.CPUs[target]}
	if err := b.cpu.PowerOn(b); err != nil { // cpu_psci_cpu_boot: PSCI CPU_ON
		return err
	}
	k.waitForCompletion(c, hotplugRunning)
	if b.err != nil {
		return fmt.Errorf("CPU %d did not come up: %w", target, b.err)
	}
	k.waitForCompletion(c, hotplugDone)
	return nil
}

// bringUp is what a CPU runs that comes up: secondary_start_kernel.
type bringUp struct {
	kernel *Kernel
	cpu    *cpu.CPU
	err    error
}

// Run is sim.Program. Interrupts that were sent meanwhile are taken where they are unmasked, with cpu_hotplug_lock held
// by the CPU that waits.
func (b *bringUp) Run(*sim.Proc) {
	k, c := b.kernel, b.cpu
	b.err = k.port.BootCPU(c)
	k.complete(c, hotplugRunning)
	if b.err == nil {
		c.MaskIRQ(false) // local_daif_restore(DAIF_PROCCTX)
		k.complete(c, hotplugDone)
	}
}

// CPUDown is cpu_down: it takes down a CPU that is online and idle. stop_machine is left out: what the CPU that goes
// does with the others stopped, it does while they run.
func (k *Kernel) CPUDown(c *cpu.CPU, target int) error { return k.hotplug(c, target, k.down) }

func (k *Kernel) down(c *cpu.CPU, target int) error {
	switch {
	case !k.cpuOnline(c, target):
		return fmt.Errorf("CPU %d is not online", target)
	case k.NumOnlineCPUs(c) == 1:
		return fmt.Errorf("CPU %d is the last one online", target)
	case target == c.ID:
		return fmt.Errorf("CPU %d runs cpu_down itself: expected another CPU", target)
	}
	d := &takeDown{k, k.platform.CPUs[target]}
	var busy error
	stop := func(*cpu.CPU, uint64) { busy = d.cpu.Start(d) } // the stopper thread, woken by an IPI
	if err := k.SMPCallFunctionSingle(c, target, stop, 0, true); err != nil {
		return err
	}
	if busy != nil {
		return fmt.Errorf("only an idle CPU can go down: %w", busy)
	}
	k.waitForCompletion(c, hotplugDone)
	for d.cpu.Power() != cpu.Off || d.cpu.Proc().Busy() { // cpu_psci_cpu_kill: PSCI AFFINITY_INFO
		c.Delay(killDelay)
		c.Boundary()
	}
	return nil
}

// killDelay is how long cpu_psci_cpu_kill sleeps between two calls of AFFINITY_INFO.
const killDelay = 100 * sim.Microsecond

// takeDown is what a CPU runs that goes down: take_cpu_down, and then the idle task, which finds it offline.
type takeDown struct {
	kernel *Kernel
	cpu    *cpu.CPU
}

// Run is sim.Program. Callbacks whose interrupt has not come yet are run here, since it never does (8d056c48e486).
func (d *takeDown) Run(*sim.Proc) {
	k, c := d.kernel, d.cpu
	k.Arch.LocalIRQSave(c)
	k.port.CPUDisable(c)
	k.flushSMPCallFunctionQueue(c) // smpcfd_dying_cpu
	k.complete(c, hotplugDone)     // cpuhp_report_idle_dead
	c.Fence(k.dsbSY)
	c.SetPower(cpu.Off) // PSCI CPU_OFF
}

// StopThisCPU is the end of local_cpu_stop, and with powerOff that of ipi_cpu_crash_stop: the CPU is no longer online
// and everything is masked, but its interrupts stay enabled.
func (k *Kernel) StopThisCPU(c *cpu.CPU, powerOff bool) {
	k.SetCPUOnline(c, false)
	if powerOff {
		c.Stay(cpu.Off) // __cpu_try_die
	}
	c.Stay(cpu.Parked) // cpu_park_loop
}
