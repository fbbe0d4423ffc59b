package arm64

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/sim"
)

// The SGIs of the kernel (arch/arm64/kernel/smp.c, enum ipi_msg_type). What is 3 in 5.17, IPI_CPU_CRASH_STOP, is
// IPI_CPU_STOP_NMI where there are pseudo-NMIs.
const (
	IPICallFunc     = 1
	IPICPUStop      = 2
	IPICPUCrashStop = 3
	IPICPUStopNMI   = 3
)

// The SGIs that the kernel uses, and those of them that are NMIs where there are pseudo-NMIs (ipi_should_be_nmi):
// IPI_CPU_STOP_NMI, IPI_CPU_BACKTRACE and IPI_KGDB_ROUNDUP.
const (
	ipis         = 1<<7 - 1
	ipisWithNMIs = 1<<8 - 1
	nmis         = 1<<IPICPUStopNMI | 1<<6 | 1<<7
)

// Kernel is [linux.Port] for Arm.
type Kernel struct {
	common    *linux.Kernel
	chip      linux.IRQChip
	pseudoNMI bool
	dsbSY     bus.Fence
	dsbISH    bus.Fence
	dsbISHST  bus.Fence
	smpMB     bus.Fence
	smpRMB    bus.Fence
	smpWMB    bus.Fence
	cost      struct{ crossCall, irqEntry, irqExit sim.Time }
}

// New makes the port of a kernel whose interrupt controller is driven by chip, with pseudo-NMIs or without.
func New(common *linux.Kernel, chip linux.IRQChip, pseudoNMI bool) *Kernel {
	k := &Kernel{
		common: common, chip: chip, pseudoNMI: pseudoNMI, dsbSY: common.Barrier("dsb(sy)"),
		dsbISH: common.Barrier("dsb(ish)"), dsbISHST: common.Barrier("dsb(ishst)"), smpMB: common.Barrier("smp_mb"),
		smpRMB: common.Barrier("smp_rmb"), smpWMB: common.Barrier("smp_wmb"),
	}
	cycles := common.Clock().Cycles
	k.cost.crossCall = cycles(common.Costs.CrossCall)
	k.cost.irqEntry, k.cost.irqExit = cycles(common.Costs.IRQEntry), cycles(common.Costs.IRQExit)
	return k
}

// PseudoNMIs implements [linux.Port].
func (k *Kernel) PseudoNMIs() bool { return k.pseudoNMI }

// ipis are the SGIs that the kernel enables.
func (k *Kernel) ipis() uint32 {
	if k.pseudoNMI {
		return ipisWithNMIs
	}
	return ipis
}

// BootCPU implements [linux.Port]: the interrupt controller, as a whole on the boot CPU, then the CPU's part; the CPU's
// IPIs (ipi_setup); the idle task; set_cpu_online.
func (k *Kernel) BootCPU(c *cpu.CPU) error {
	if c.ID == 0 {
		if err := k.chip.Init(c); err != nil {
			return err
		}
	}
	if err := k.chip.StartingCPU(c); err != nil {
		return err
	}
	if k.pseudoNMI {
		k.chip.SetupNMIs(c, nmis)
	}
	k.chip.UnmaskPercpu(c, k.ipis())
	k.common.InitIdle(c)
	c.Fence(k.dsbSY)
	k.common.SetCPUOnline(c, true)
	return nil
}

// CPUDisable implements [linux.Port]: __cpu_disable. An SGI that comes later is latched, and taken when the CPU is
// back.
func (k *Kernel) CPUDisable(c *cpu.CPU) {
	k.common.SetCPUOnline(c, false)
	k.chip.MaskPercpu(c, k.ipis()) // ipi_teardown
}

// ArchSendCallFunctionSingleIPI implements [linux.Port]: smp_cross_call of IPI_CALL_FUNC.
func (k *Kernel) ArchSendCallFunctionSingleIPI(c *cpu.CPU, target int) {
	k.smpCrossCall(c, k.common.CPUMaskOf(target), IPICallFunc)
}

// ArchSendCallFunctionIPIMask implements [linux.Port].
func (k *Kernel) ArchSendCallFunctionIPIMask(c *cpu.CPU, mask linux.CPUMask) {
	k.smpCrossCall(c, mask, IPICallFunc)
}

// smpCrossCall is smp_cross_call.
func (k *Kernel) smpCrossCall(c *cpu.CPU, mask linux.CPUMask, ipi int) {
	k.common.PushFrames(c)
	c.Delay(k.cost.crossCall)
	k.chip.IPISendMask(c, ipi, mask)
}

// HandleIPI implements [linux.Port]: do_handle_IPI.
func (k *Kernel) HandleIPI(c *cpu.CPU, irq int) {
	switch {
	case irq == IPICallFunc:
		k.common.GenericSMPCallFunctionInterrupt(c)
	case irq == IPICPUStopNMI && k.pseudoNMI && !k.common.StopInProgress(c):
		k.pauseLocalCPU(c)
	case irq == IPICPUStop || irq == IPICPUStopNMI && k.pseudoNMI:
		k.common.StopThisCPU(c, false) // local_cpu_stop
	case irq == IPICPUCrashStop:
		k.common.StopThisCPU(c, true) // ipi_cpu_crash_stop
	}
}

// SMPSendStop implements [linux.Port].
func (k *Kernel) SMPSendStop(c *cpu.CPU, crash bool) bool {
	ipi := IPICPUStop
	if crash {
		ipi = IPICPUCrashStop
	}
	k.common.SetStopInProgress(c)
	if others := k.common.OthersOnline(c); others.Weight() > 0 {
		k.smpCrossCall(c, others, ipi)
	}
	return k.common.WaitForNumOnline(c, 1, stopTimeout)
}

// stopTimeout is how long smp_send_stop waits.
const stopTimeout = sim.Second
