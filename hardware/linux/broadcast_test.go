package linux_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
)

// peState is what the kernel knows of a PE that is wired to the GIC.
type peState uint8

const (
	peUnknown peState = iota // not possible
	peOffline                // present
	peOnline

	peStates = 3
)

// TestBroadcastMasks counts, of all cases of up to four PEs, those in which a variant of gic_ipi_send_mask makes an
// interrupt pending at a PE that is not in the mask. The sender is PE 0; any other is unknown, offline or online; the
// mask is any set of those that the kernel knows. The numbers are those of a count by hand from the variants' code, in
// which v1 reaches PEs that the kernel does not know and no others. Nobody in the mask is left out.
func TestBroadcastMasks(t *testing.T) {
	for variant, want := range map[irqchip.SGIBroadcast]int{
		irqchip.BroadcastList: 0, irqchip.BroadcastV1: 25, irqchip.BroadcastReview: 149, irqchip.BroadcastV2: 112,
		irqchip.BroadcastFixed: 0,
	} {
		cases, bad := 0, 0
		for n := 1; n <= 4; n++ {
			m := boot(t, "virt", func(s *machine.Spec) { s.CPUs, driver(s).SGIBroadcast = n, variant })
			for _, c := range m.CPUs { // interrupts stay pending
				run(t, m, c.ID, func(c *cpu.CPU) { m.Kernel.Arch.WriteSysreg(c, gic.ICC_IGRPEN1_EL1, 0) })
			}
			eachBroadcastCase(n, func(states []peState, mask linux.CPUMask) {
				hits := sendTo(t, m, states, mask)
				cases++
				if hits != nil {
					bad++
				}
				if variant == irqchip.BroadcastV1 && len(hits) > 0 && !(hits[peUnknown] && len(hits) == 1) {
					t.Errorf("v1, PEs %v, mask %b: known PEs are reached", states, mask[0])
				}
			})
		}
		if cases != 312 || bad != want {
			t.Errorf("%s: %d of %d cases reach another PE, want %d of 312", variant, bad, cases, want)
		}
	}
}

// eachBroadcastCase calls f with all states of n PEs, of which PE 0 is online, and all masks of those that are known.
func eachBroadcastCase(n int, f func(states []peState, mask linux.CPUMask)) {
	ways := 1
	for range n - 1 {
		ways *= peStates
	}
	for way := range ways {
		states, known := []peState{peOnline}, uint64(1)
		for i := 1; i < n; i++ {
			s := peState(way % peStates)
			if way /= peStates; s != peUnknown {
				known |= 1 << i
			}
			states = append(states, s)
		}
		for mask := range uint64(1 << n) {
			if mask&^known == 0 {
				f(states, linux.CPUMask{mask})
			}
		}
	}
}

// sendTo lets PE 0 send to a mask, and answers the states of the PEs outside of it at which that is pending, nil if
// there are none.
func sendTo(t *testing.T, m *machine.Machine, states []peState, mask linux.CPUMask) map[peState]bool {
	const sgi = 1
	possible, online := linux.NewCPUMask(len(states)), linux.NewCPUMask(len(states))
	for i, s := range states {
		if s != peUnknown {
			possible.Set(i)
		}
		if s == peOnline {
			online.Set(i)
		}
	}
	m.Kernel.SetMask(linux.CPUPossibleMask, possible)
	m.Kernel.SetMask(linux.CPUPresentMask, possible)
	m.Kernel.SetMask(linux.CPUOnlineMask, online)
	run(t, m, 0, func(c *cpu.CPU) { chip(m).IPISendMask(c, sgi, mask) })
	if err := m.Drive(nil); err != nil {
		t.Fatal(err)
	}
	var outside map[peState]bool
	for i, s := range states {
		r := m.Board.(*machine.ArmBoard).GIC().Redistributor(i)
		pending, _ := r.ReadReg(gic.GICR_ISPENDR0, bus.W32)
		r.WriteReg(gic.GICR_ICPENDR0, bus.W32, 1<<sgi)
		switch hit := pending>>sgi&1 != 0; {
		case mask.Has(i) && !hit:
			t.Errorf("PEs %v, mask %b: PE %d is left out", states, mask[0], i)
		case !mask.Has(i) && hit:
			if outside == nil {
				outside = map[peState]bool{}
			}
			outside[s] = true
		}
	}
	return outside
}
