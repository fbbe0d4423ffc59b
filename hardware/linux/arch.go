package linux

import (
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// Arch is the instruction set as the kernel's C code uses it, by the macros of arch/*/include/asm: barrier.h,
// cmpxchg.h, bitops.h, irqflags.h and sysreg.h or csr.h. A method acts on the CPU that executes it. The machine plugs
// it in; what has no macro, plain loads and stores and straight-line code, is [cpu.CPU]'s.
type Arch interface {
	// Barrier is the fence of a macro, "smp_wmb", or of an instruction with its option, "dsb(ishst)"; false if the
	// architecture has none of that name.
	Barrier(macro string) (bus.Fence, bool)
	// SmpStoreRelease is smp_store_release.
	SmpStoreRelease(c *cpu.CPU, addr uint64, size uint8, v uint64)
	// SmpCondLoadAcquire is smp_cond_load_acquire: it waits until the value satisfies the condition.
	SmpCondLoadAcquire(c *cpu.CPU, addr uint64, size uint8, cond func(v uint64) bool) uint64
	// Cmpxchg and Xchg are fully ordered, on 8 bytes, and answer the old value.
	Cmpxchg(c *cpu.CPU, addr, old, v uint64) uint64
	Xchg(c *cpu.CPU, addr, v uint64) uint64
	// TestAndSetBit and TestAndClearBit are test_and_set_bit and test_and_clear_bit of a bit of an 8-byte word, fully
	// ordered; they answer what it was. AtomicAdd is atomic_add of 4 bytes, without order.
	TestAndSetBit(c *cpu.CPU, addr uint64, bit int) bool
	TestAndClearBit(c *cpu.CPU, addr uint64, bit int) bool
	AtomicAdd(c *cpu.CPU, addr uint64, n int)
	// SetBit and ClearBit are set_bit and clear_bit of a bit of an 8-byte word, without order.
	SetBit(c *cpu.CPU, addr uint64, bit int)
	ClearBit(c *cpu.CPU, addr uint64, bit int)
	// WFE and SEV wait for an event, and send one to all CPUs.
	WFE(c *cpu.CPU)
	SEV(c *cpu.CPU)
	// LocalIRQSave is local_irq_save: it masks interrupts, and answers whether they were masked; LocalIRQRestore undoes
	// it.
	LocalIRQSave(c *cpu.CPU) bool
	LocalIRQRestore(c *cpu.CPU, masked bool)
	// ReadSysreg and WriteSysreg access a system register that the CPU has.
	ReadSysreg(c *cpu.CPU, r bits.SysReg) uint64
	WriteSysreg(c *cpu.CPU, r bits.SysReg, v uint64)
	// ISB makes earlier writes of system registers take effect for what follows.
	ISB(c *cpu.CPU)
}

// A Port is the kernel's own code for one architecture, arch/*/kernel, and the vector of its CPUs.
type Port interface {
	cpu.Vector
	// BootCPU is what a CPU runs when it comes up: start_kernel on the first, secondary_start_kernel. It fails where the
	// kernel would give up.
	BootCPU(c *cpu.CPU) error
	// ArchSendCallFunctionSingleIPI is arch_send_call_function_single_ipi.
	ArchSendCallFunctionSingleIPI(c *cpu.CPU, target int)
	// ArchSendCallFunctionIPIMask is arch_send_call_function_ipi_mask.
	ArchSendCallFunctionIPIMask(c *cpu.CPU, mask CPUMask)
	// CPUDisable is __cpu_disable: the CPU is no longer online, and gets no more IPIs.
	CPUDisable(c *cpu.CPU)
	// PseudoNMIs reports whether there are pseudo-NMIs.
	PseudoNMIs() bool
	// SMPSendStop is smp_send_stop, and with crash crash_smp_send_stop: all other CPUs stop for ever. It answers false if
	// some have not after a second.
	SMPSendStop(c *cpu.CPU, crash bool) bool
	// PauseRemoteCPUs and ResumeRemoteCPUs stop all other CPUs for a while, by NMIs.
	PauseRemoteCPUs(c *cpu.CPU) error
	ResumeRemoteCPUs(c *cpu.CPU)
	// UpdatePTEs makes entries of a kernel's page table anew, with break-before-make while the other CPUs are paused.
	UpdatePTEs(c *cpu.CPU, table uint64, count int) error
	// HandleIPI is the handler of the interrupts that the port keeps for IPIs; any other it ignores.
	HandleIPI(c *cpu.CPU, irq int)
}

// Plug connects the driver of the interrupt controller and the port, which takes the CPUs' interrupts.
func (k *Kernel) Plug(chip IRQChip, port Port) {
	k.chip, k.port = chip, port
	for _, c := range k.platform.CPUs {
		c.SetVector(port)
	}
}

// IRQChip is the driver of the interrupt controller.
func (k *Kernel) IRQChip() IRQChip { return k.chip }

// Vector is what takes the CPUs' interrupts.
func (k *Kernel) Vector() cpu.Vector { return k.port }

// BootCPU brings a CPU up.
func (k *Kernel) BootCPU(c *cpu.CPU) error { return k.port.BootCPU(c) }

// Barrier is the fence of a macro that the architecture has.
func (k *Kernel) Barrier(macro string) bus.Fence {
	f, ok := k.Arch.Barrier(macro)
	if !ok {
		panic("BUG: the architecture has no barrier " + macro)
	}
	return f
}

// Port is the code for the architecture.
func (k *Kernel) Port() Port { return k.port }
