package machine

import (
	"io"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A Part is a component of a machine: a core, a device, the kernel.
type Part interface {
	// Save keeps the part's present state, in place of one kept before, and Restore goes back to it. Nothing is in
	// flight then, and Restore drives no wire: all parts are restored together.
	Save()
	Restore()
	// Problem is what is wrong with the part once nothing is pending any more, "" if nothing.
	Problem() string
	// Describe is what the part is, in a line. Parts that are alike say the same.
	Describe() string
}

// A Core is the processor of some architecture around a [cpu.CPU], on which its programs run.
type Core interface {
	Part
	// CPU is what the core has whatever its architecture.
	CPU() *cpu.CPU
	// ReadClock is the core's program reading the time that the kernel reads, and takes as long as that.
	ReadClock() sim.Time
	// InspectSys reads a system register as a debugger does, without time. The error says why it cannot be read: there
	// is none, or reading it changes something.
	InspectSys(r bits.SysReg) (uint64, error)
	// Dump prints the core's state and that of its interrupt controller's interface, decoded. Times count from epoch.
	Dump(w io.Writer, epoch sim.Time)
}

// A Board is what stands around the memory of a machine of some architecture: its cores and devices, wired. What only
// some boards have, the user asks for by an interface: [SoftwareInterrupts], [InterruptLines], or one of its own.
type Board interface {
	// Core is the core of a CPU.
	Core(cpu int) Core
	// Parts are the parts beside the cores.
	Parts() []Part
	// Arch is the instruction set as the kernel uses it.
	Arch() linux.Arch
	// Plug gives the kernel its code for the architecture, and the driver of the interrupt controller.
	Plug(k *linux.Kernel)
}

// A BoardSpec describes a board: plain data, which a [Spec] that is copied shares.
type BoardSpec interface {
	// Validate names the first field that cannot be built on a machine, and its limit.
	Validate(s *Spec) error
	// Build makes the cores and devices, and places the devices in the machine's address space. The machine has its
	// engine and memory.
	Build(m *Machine) (Board, error)
}

// SoftwareInterrupts is a board on which one CPU interrupts another.
type SoftwareInterrupts interface {
	// Send interrupts a CPU from the program of another, and Raise does as a device.
	Send(c *cpu.CPU, target int)
	Raise(target int)
	// Take acknowledges an interrupt in a handler, and answers its number and whether Send or Raise has caused it; End
	// ends that interrupt.
	Take(c *cpu.CPU) (number uint64, sent bool)
	End(c *cpu.CPU, number uint64)
}

// InterruptLines is a board with an interrupt controller that has wires for devices.
type InterruptLines interface {
	// Line is the wire of an interrupt by its number: of one that each CPU has for itself, that of the given CPU, of
	// one that all share, cpu is NoCPU. The error says what is wrong with the number.
	Line(number, cpu int) (bus.Line, error)
}

// NoCPU stands for no CPU in particular.
const NoCPU = -1
