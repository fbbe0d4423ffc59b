package opensbi

import (
	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
)

// maxHarts is what a mask of senders has room for.
const maxHarts = 64

// A Hart is what firmware does to the hart that it runs on, and what it asks of others.
type Hart interface {
	// FenceTranslations and FenceI are the fences of the hart itself.
	FenceTranslations(va, asid rv.Operand)
	FenceI()
	// SetPending sets bits of mip, and ClearPending clears them.
	SetPending(bits uint64)
	ClearPending(bits uint64)
	// LoadSupervisor reads 8 bytes at an address of the supervisor; false if that faults.
	LoadSupervisor(va uint64) (uint64, bool)
}

// Firmware is one firmware, on all harts.
type Firmware struct {
	spec  Spec
	harts []hart
}

// hart is what the firmware knows of a hart.
type hart struct {
	Hart
	cpu *cpu.CPU
	id  uint64

	// In memory: the bits that are asked for; fences of the hart that are not done, with what is in its queue in the
	// upper half, so that a sender can wait for both; the lock of the queue, and the entries.
	bits, sync, lock, queue uint64

	first, used int // of the queue, under the lock
}

// The bits by which harts ask one another.
const (
	softwareEvent = 1 << iota // a supervisor software interrupt
	fenceEvent                // there is something in the queue
)

const queuedOne = 1 << 32 // of hart.sync

// New makes firmware for harts with their ids, whose data lies in memory.
func New(spec Spec, memory *mem.Memory, cpus []*cpu.CPU, ids []uint64, harts []Hart) (*Firmware, error) {
	if err := spec.Validate(len(harts)); err != nil {
		return nil, err
	}
	if spec.Queue == 0 {
		spec.Queue = len(harts)
	}
	f := &Firmware{spec: spec, harts: make([]hart, len(harts))}
	for i := range f.harts {
		at, err := memory.Alloc(uint64(3+spec.Queue) * mem.LineSize)
		if err != nil {
			return nil, err
		}
		f.harts[i] = hart{
			Hart: harts[i], cpu: cpus[i], id: ids[i],
			bits: at, sync: at + mem.LineSize, lock: at + 2*mem.LineSize, queue: at + 3*mem.LineSize,
		}
	}
	return f, nil
}

// IRQ is cpu.Vector: a machine software interrupt. sbi_ipi_process.
func (f *Firmware) IRQ(c *cpu.CPU) {
	h := &f.harts[c.ID]
	c.Exec(f.spec.IPI)
	id := h.id
	if f.spec.ClearsByIndex {
		id = uint64(c.ID)
	}
	c.Store(f.spec.MSWI+4*id, 4, 0, bus.Plain)
	// The write has arrived before the bits are taken, so that one that is asked for now raises the line again.
	c.Load(f.spec.MSWI+4*id, 4, bus.Plain)
	bits := c.Atomic(h.bits, 8, bus.Swap, 0, 0, bus.AcquireRelease)
	if bits&softwareEvent != 0 {
		h.SetPending(uint64(rv.MIP_SSIP))
	}
	if bits&fenceEvent != 0 {
		for f.serve(h) {
		}
	}
}

// ask sets a bit of another hart, and interrupts it if it was not asked for anything. sbi_ipi_raise.
func (f *Firmware) ask(c *cpu.CPU, h *hart, event uint64) {
	if c.Atomic(h.bits, 8, bus.Set, event, 0, bus.AcquireRelease) == 0 {
		c.Fence(bus.Fence{Before: bus.Store, After: bus.DeviceOutput, Domain: bus.FullSystem})
		c.Store(f.spec.MSWI+4*h.id, 4, 1, bus.Plain)
	}
}
