package litmus

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/mem"
)

// master is a device that reads memory when its doorbell is written, as a DMA engine does.
type master struct {
	s      *kernelSubject
	domain bus.Domain
}

func (m master) ReadReg(uint64, bus.Width) (uint64, bool) { return 0, true }

func (m master) WriteReg(uint64, bus.Width, uint64) bool {
	m.s.calls++
	m.s.stale = m.s.View.ReadMaster(m.s.data, 8, m.domain) != 1
	return true
}

// A master inside the inner shareable domain sees what a DSB ISH has completed; one outside needs DSB OSH or SY.
func TestMastersAndDomains(t *testing.T) {
	for _, c := range []struct {
		barrier string
		inner   bool // what a master of each kind always reads is the new value
		outer   bool
	}{
		{"nsh", false, false}, {"ish", true, false}, {"ishst", true, false}, {"ld", false, false}, {"osh", true, true},
		{"st", true, true}, {"sy", true, true},
	} {
		for domain, want := range map[bus.Domain]bool{bus.InnerShareable: c.inner, bus.FullSystem: c.outer} {
			fence, _ := arm.DSB(c.barrier)
			r := exploreKernel(t, explore.Options{}, func() (*kernelSubject, error) {
				spec := mem.ExploredSpec{OuterMasters: true}
				s, err := newKernelSubject(irqchip.BarrierNone, spec, func(s *kernelSubject, c *cpu.CPU) {
					c.Store(s.data, 8, 1, bus.Plain)
					c.Fence(fence)
					c.Store(doorbellBase, 4, 1, bus.Plain)
				})
				if err != nil {
					return nil, err
				}
				err = s.Devices.Add(bus.Region{Name: "DMA", Base: doorbellBase, Size: 0x1000, Device: master{s, domain}})
				s.Checkpoint()
				return s, err
			})
			if r.Verified() != want {
				t.Errorf("dsb %s, master in domain %d: %s", c.barrier, domain, r)
			}
		}
	}
}
