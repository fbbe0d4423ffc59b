package arm64

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/sim"
)

// IPICallFunc is the SGI of IPI_CALL_FUNC (arch/arm64/kernel/smp.c, enum ipi_msg_type).
const IPICallFunc = 1

// ipiCount is the number of SGIs that the kernel uses, NR_IPI of 5.17.
const ipiCount = 7

// Kernel is [linux.Port] for Arm.
type Kernel struct {
	common *linux.Kernel
	chip   linux.IRQChip
	dsbSY  bus.Fence
	cost   struct{ crossCall, irqEntry, irqExit sim.Time }
}

// New makes the port of a kernel whose interrupt controller is driven by chip.
func New(common *linux.Kernel, chip linux.IRQChip) *Kernel {
	k := &Kernel{common: common, chip: chip, dsbSY: common.Barrier("dsb(sy)")}
	cycles := common.Clock().Cycles
	k.cost.crossCall = cycles(common.Costs.CrossCall)
	k.cost.irqEntry, k.cost.irqExit = cycles(common.Costs.IRQEntry), cycles(common.Costs.IRQExit)
	return k
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
	k.chip.UnmaskPercpu(c, 1<<ipiCount-1)
	k.common.InitIdle(c)
	c.Fence(k.dsbSY)
	k.common.SetCPUOnline(c)
	return nil
}

// ArchSendCallFunctionSingleIPI implements [linux.Port]: smp_cross_call of IPI_CALL_FUNC.
func (k *Kernel) ArchSendCallFunctionSingleIPI(c *cpu.CPU, target int) {
	k.common.PushFrames(c)
	c.Delay(k.cost.crossCall)
	k.chip.IPISendMask(c, IPICallFunc, k.common.CPUMaskOf(target))
}

// HandleIPI implements [linux.Port]: do_handle_IPI.
func (k *Kernel) HandleIPI(c *cpu.CPU, irq int) {
	if irq == IPICallFunc {
		k.common.GenericSMPCallFunctionInterrupt(c)
	}
}
