package irqchip_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux/arm64"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
)

// typerReads counts the reads of GICR_TYPER in a trace.
type typerReads int

func (n *typerReads) Trace(_ sim.Time, _, what string) {
	if strings.HasPrefix(what, "read GICR") && strings.Contains(what, "+0x8 ->") {
		*n++
	}
}

// TestWalk: whatever the order in which CPUs come up, each walks over all redistributors before its own, and finds it
// in another region too. Unwatched, the loads are charged and counted just so.
func TestWalk(t *testing.T) {
	for seed := range uint64(4) {
		var dumps [2]string
		for watched := range dumps {
			spec, _ := machine.Preset("virt")
			spec.CPUs = 140
			m := newMachine(t, spec)
			var reads typerReads
			if watched == 1 {
				m.Engine.Attach(sim.TextTracer(reads.Trace))
			}
			order := append([]int{0}, rand.New(rand.NewPCG(seed, 0)).Perm(spec.CPUs)...)
			if seed == 0 {
				order = []int{0, 130, 2, 131}
			}
			want := 0
			for _, id := range order {
				bootCPU(t, m, id)
				want += id + 1
			}
			if watched == 1 && int(reads) != want {
				t.Errorf("seed %d: GICR_TYPER was read %d times, want %d", seed, reads, want)
			}
			var out strings.Builder
			for _, id := range order {
				m.Board.Core(id).Dump(&out, 0)
			}
			fmt.Fprintln(&out, m.Engine.Now())
			dumps[watched] = out.String()
		}
		if diff := cmp.Diff(dumps[1], dumps[0]); diff != "" {
			t.Errorf("seed %d: watched and unwatched boots differ (-watched +unwatched):\n%s", seed, diff)
		}
	}
}

// TestWalkInVain: a CPU without a redistributor in the regions that firmware names.
func TestWalkInVain(t *testing.T) {
	spec, _ := machine.Preset("virt")
	m := newMachine(t, spec)
	g := m.Board.(*machine.ArmBoard).GIC().Spec()
	two := irqchip.GICRRegion{Base: uint64(g.Regions[0].Base), Size: 2 * g.Stride()}
	p := irqchip.Platform{
		MPIDRs: g.MPIDRs, GICD: m.Board.(*machine.ArmBoard).DistributorBase(), GICRs: []irqchip.GICRRegion{two},
	}
	chip := irqchip.NewGICv3(m.Kernel, irqchip.DefaultOptions(), p)
	m.Kernel.Plug(chip, arm64.New(m.Kernel, chip, false))
	for _, c := range []struct {
		id   int
		want string
	}{
		{0, ""}, {3, "CPU3: no redistributor with affinity 0x3"}, {1, ""}, {2, "CPU2: no redistributor with affinity 0x2"},
	} {
		got := ""
		run(t, m, c.id, func(cpu *cpu.CPU) {
			if err := m.Kernel.BootCPU(cpu); err != nil {
				got = err.Error()
			}
		})
		if got != c.want {
			t.Errorf("boot of CPU%d: %q, want %q", c.id, got, c.want)
		}
	}
}
