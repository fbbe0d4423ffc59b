package irqchip_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/sim"
)

// sgiLog is the system registers of CPUs that can do nothing but send SGIs.
type sgiLog struct{ writes []uint64 }

func (l *sgiLog) ReadSys(bits.SysReg) (uint64, bool) { return 0, false }

func (l *sgiLog) WriteSys(r bits.SysReg, v uint64) bool {
	l.writes = append(l.writes, v)
	return r == gic.ICC_SGI1R_EL1
}

// sendMask lets CPU0 of a machine with any numbering send SGI 7 to a mask, and answers what it writes.
func sendMask(t *testing.T, mpidrs []uint64, mask linux.CPUMask) []uint64 {
	t.Helper()
	engine := sim.NewEngine()
	defer engine.Close()
	log := &sgiLog{}
	free := uint64(0x1000)
	platform := linux.Platform{Arch: &arm.Asm{}, AllocateMemory: func(size uint64, _ int) (uint64, error) {
		free += (size + 63) / 64 * 64
		return free, nil
	}, Node: func(int) int { return 0 }, Poke: func(uint64, uint8, uint64) {}}
	for i := range mpidrs {
		c := cpu.New(i, &cpu.Spec{Clock: sim.Gigahertz, StoreBuffer: 1}, engine)
		c.Connect(cpu.Ports{Devices: &bus.Map{}, SysRegs: log})
		platform.CPUs = append(platform.CPUs, c)
	}
	costs := linux.DefaultCosts()
	costs.FrameLines = 0 // there is no memory
	k, err := linux.New(linux.DefaultOptions(), costs, platform)
	if err != nil {
		t.Fatal(err)
	}
	chip := irqchip.NewGICv3(k, irqchip.DefaultOptions(), irqchip.Platform{MPIDRs: mpidrs})
	c := platform.CPUs[0]
	if err := c.Start(program{c, func(c *cpu.CPU) { chip.IPISendMask(c, 7, mask) }}); err != nil {
		t.Fatal(err)
	}
	if err := engine.Drive(nil); err != nil {
		t.Fatal(err)
	}
	return log.writes
}

func mpidr(aff3, aff2, aff1, aff0 uint64) uint64 {
	v := a64.MPIDR_EL1_RES1.Put(0, 1)
	v = a64.MPIDR_EL1_Aff3.Put(v, aff3)
	v = a64.MPIDR_EL1_Aff2.Put(v, aff2)
	v = a64.MPIDR_EL1_Aff1.Put(v, aff1)
	return a64.MPIDR_EL1_Aff0.Put(v, aff0)
}

func maskOf(cpus int, members ...int) linux.CPUMask {
	m := linux.NewCPUMask(cpus)
	for _, i := range members {
		m.Set(i)
	}
	return m
}

// TestTargetLists: gic_compute_target_list takes CPUs in logical order while they are in one cluster, so that logical
// numbers that alternate between clusters cost a write each.
func TestTargetLists(t *testing.T) {
	inOrder := []uint64{mpidr(0, 0, 0, 0), mpidr(0, 0, 0, 1), mpidr(0, 0, 1, 0), mpidr(0, 0, 1, 1)}
	interleaved := []uint64{inOrder[0], inOrder[2], inOrder[1], inOrder[3]}
	wide := []uint64{mpidr(0, 0, 0, 14), mpidr(0, 0, 0, 15), mpidr(0, 0, 0, 16), mpidr(0, 0, 0, 0xff)}
	far := []uint64{mpidr(0, 0, 0, 0), mpidr(0, 1, 0, 0), mpidr(1, 1, 0, 0), mpidr(0xff, 0xfe, 0xfd, 3)}
	for _, row := range []struct {
		name   string
		mpidrs []uint64
		mask   linux.CPUMask
		want   []uint64
	}{
		{"clusters in order", inOrder, maskOf(4, 0, 1, 2, 3), []uint64{0x0700_0003, 0x0701_0003}},
		{"interleaved", interleaved, maskOf(4, 0, 1, 2, 3), []uint64{0x0700_0001, 0x0701_0001, 0x0700_0002, 0x0701_0002}},
		{"interleaved, one cluster", interleaved, maskOf(4, 0, 2), []uint64{0x0700_0003}},
		{"range selector", wide, maskOf(4, 0, 1, 2, 3), []uint64{0x0700_c000, 0x1000_0700_0001, 0xf000_0700_8000}},
		{"all levels", far, maskOf(4, 1, 2, 3), []uint64{0x1_0700_0001, 0x0001_0001_0700_0001, 0x00ff_00fe_07fd_0008}},
		{"nobody", inOrder, maskOf(4), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := sendMask(t, row.mpidrs, row.mask); !slices.Equal(got, row.want) {
				t.Errorf("got %x, want %x", got, row.want)
			}
		})
	}
}

// TestTargetListsProperty: for any numbering and mask, the writes reach each CPU of the mask once and no other, and
// there is one for each run of CPUs that share everything but the low four bits of Aff0.
func TestTargetListsProperty(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		mpidrs := randomMPIDRs(r, 1+r.IntN(150))
		mask := linux.NewCPUMask(len(mpidrs))
		var members []uint64
		runs := 0
		for i, m := range mpidrs {
			if r.IntN(3) == 0 {
				continue
			}
			mask.Set(i)
			if n := len(members); n == 0 || members[n-1]&^0xf != m&^0xf {
				runs++
			}
			members = append(members, m)
		}
		writes := sendMask(t, mpidrs, mask)
		var reached []uint64
		for _, w := range writes {
			reached = append(reached, reach(w)...)
		}
		slices.Sort(reached)
		slices.Sort(members)
		if !slices.Equal(reached, members) || len(writes) != runs {
			t.Fatalf("seed %d: %d writes, want %d; reached %x, want %x", seed, len(writes), runs, reached, members)
		}
	}
}

// randomMPIDRs are different affinities in random order, dense enough that runs occur.
func randomMPIDRs(r *rand.Rand, n int) []uint64 {
	seen := map[uint64]bool{}
	var all []uint64
	for len(all) < n {
		m := mpidr(r.Uint64N(2), r.Uint64N(2), r.Uint64N(2), r.Uint64N(64))
		if !seen[m] {
			seen[m] = true
			all = append(all, m)
		}
	}
	if r.IntN(2) == 0 {
		slices.Sort(all)
	}
	return all
}

// reach are the MPIDRs of the PEs that an ICC_SGI1R_EL1 write reaches, as IHI 0069, 12.2 words it.
func reach(w uint64) []uint64 {
	var all []uint64
	for n := range uint64(16) {
		if w>>n&1 != 0 {
			all = append(all, mpidr(w>>48&0xff, w>>32&0xff, w>>16&0xff, w>>44&0xf*16+n))
		}
	}
	return all
}

func TestIPIBarrierNames(t *testing.T) {
	for i, name := range irqchip.IPIBarriers() {
		b, ok := irqchip.ParseIPIBarrier(name)
		if !ok || b != irqchip.IPIBarrier(i) || b.String() != name {
			t.Errorf("%s: %v, %t", name, b, ok)
		}
	}
	if _, ok := irqchip.ParseIPIBarrier("dsb_isht"); ok {
		t.Error("dsb_isht is taken for a barrier")
	}
	want := irqchip.Options{
		IPIBarrier: irqchip.BarrierDSBST, EOImode1: true, ITS: irqchip.DefaultITSOptions(irqchip.ITS517),
	}
	if irqchip.DefaultOptions() != want {
		t.Errorf("the default is %+v", irqchip.DefaultOptions())
	}
}
