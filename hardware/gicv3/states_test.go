package gicv3_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/gicv3"
)

// stateAccess is an access with the parts that it is said to touch.
type stateAccess struct {
	name    string
	touches []int
	perform func() uint64
}

// randomAccess draws an access of any kind, with values that mean something.
func randomAccess(bed *testbed, s *gicv3.States, r *rand.Rand) stateAccess {
	pe, ids := r.IntN(len(bed.ports)), [...]int{1, 2, 20, 27, 40, 41, 64}
	id := ids[r.IntN(len(ids))]
	bit := uint64(1) << (id % 32)
	switch r.IntN(6) {
	case 0: // a system register
		regs := [...]bits.SysReg{
			gic.ICC_PMR_EL1, gic.ICC_BPR1_EL1, gic.ICC_CTLR_EL1, gic.ICC_IGRPEN1_EL1, gic.ICC_RPR_EL1, gic.ICC_HPPIR1_EL1,
			gic.ICC_IAR1_EL1, gic.ICC_IAR1_EL1,
		}
		reg := regs[r.IntN(len(regs))]
		return stateAccess{fmt.Sprintf("PE%d: mrs %#x", pe, uint16(reg)), s.Register(pe, reg, false, 0), func() uint64 {
			v, _ := bed.gic.CPUInterface(pe).ReadSys(reg)
			return v
		}}
	case 1:
		regs := [...]bits.SysReg{gic.ICC_PMR_EL1, gic.ICC_IGRPEN1_EL1, gic.ICC_EOIR1_EL1, gic.ICC_DIR_EL1, gic.ICC_CTLR_EL1}
		values := [...]uint64{0xf0, 1, uint64(id), uint64(id), 2}
		i := r.IntN(len(regs))
		v := values[i] * uint64(r.IntN(4)) / 3
		if i == 2 || i == 3 {
			v = values[i]
		}
		name := fmt.Sprintf("PE%d: msr %#x %#x", pe, uint16(regs[i]), v)
		return stateAccess{name, s.Register(pe, regs[i], true, v), func() uint64 {
			bed.gic.CPUInterface(pe).WriteSys(regs[i], v)
			return 0
		}}
	case 2: // an SGI
		v := gic.ICC_SGI1R_EL1_INTID.Put(gic.ICC_SGI1R_EL1_TargetList.Put(0, 1<<r.IntN(len(bed.ports))), uint64(r.IntN(3)))
		to, messages, _ := s.Sends(pe, gic.ICC_SGI1R_EL1, v)
		target, message := to[0], messages[0]
		return stateAccess{fmt.Sprintf("SGI %#x to PE%d", message, target), []int{target, s.Distributor()}, func() uint64 {
			s.Receive(target, message)
			return 0
		}}
	case 3: // a wire
		w := gicv3.Wire(id)
		if id < 32 {
			w = gicv3.Wire(max(id, 16)) | gicv3.Wire(pe+1)<<32
		}
		level := r.IntN(2) == 0
		return stateAccess{fmt.Sprintf("wire %#x %v", uint64(w), level), s.Wired(w), func() uint64 {
			s.Drive(w, level)
			return 0
		}}
	}
	return randomRegister(bed, s, r, pe, id, bit)
}

// randomRegister draws an access to a register frame.
func randomRegister(bed *testbed, s *gicv3.States, r *rand.Rand, pe, id int, bit uint64) stateAccess {
	write := r.IntN(3) > 0
	var frame bus.Device = bed.gic.Distributor()
	offsets := [...]uint64{
		gic.GICD_ISENABLER, gic.GICD_ICENABLER, gic.GICD_ISPENDR, gic.GICD_ICPENDR, gic.GICD_ISACTIVER, gic.GICD_ICACTIVER,
	}
	off, v, w := offsets[r.IntN(len(offsets))]+uint64(id/32*4), bit, bus.W32
	switch r.IntN(6) {
	case 0:
		off, v = gic.GICD_CTLR, 2*uint64(r.IntN(2))
	case 1:
		off, v, w = gic.GICD_IROUTER+8*uint64(max(id, 32)), [...]uint64{0, 1, 2, 1 << 31}[r.IntN(4)], bus.W64
	case 2:
		off, v, w = gic.GICD_IPRIORITYR+uint64(max(id, 32)), uint64(r.IntN(2))*0x40+0x80, bus.W8
	case 3, 4:
		frame = bed.gic.Redistributor(pe)
		off = [...]uint64{
			gic.GICR_ISENABLER0, gic.GICR_ICENABLER0, gic.GICR_ISPENDR0, gic.GICR_ICPENDR0, gic.GICR_WAKER, gic.GICR_CTLR,
		}[r.IntN(6)]
		switch off {
		case gic.GICR_WAKER:
			v = 2 * uint64(r.IntN(2))
		case gic.GICR_CTLR:
			v = uint64(gic.GICR_CTLR_DPG1NS) * uint64(r.IntN(2))
		}
	}
	touches, ok := s.Frame(frame, off, write)
	if !ok {
		panic("a frame that is no frame")
	}
	return stateAccess{fmt.Sprintf("%T %d + %#x, write %v %#x", frame, pe, off, write, v), touches, func() uint64 {
		if write {
			frame.WriteReg(off, w, v)
			return 0
		}
		v, _ := frame.ReadReg(off, w)
		return v
	}}
}

// An access depends on no part, and changes none, but those that it is said to touch: its result and what it does to
// them are the same when all others are in states of another time.
func TestStatesTouch(t *testing.T) {
	bed := newTestbed(t, gicv3.DefaultSpec(3, redistBase))
	bed.boot(true)
	s := gicv3.NewStates(bed.gic)
	parts := s.Distributor() + 1
	r := rand.New(rand.NewPCG(1, 2))
	worlds := [][]uint64{make([]uint64, parts)}
	perform := func(world []uint64, a *stateAccess) (result uint64, after []uint64) {
		for p, state := range world {
			s.Put(p, state)
		}
		result = a.perform()
		for p := range parts {
			after = append(after, s.State(p))
		}
		return result, after
	}
	changed := map[string]bool{}
	for range 20_000 {
		world, other := worlds[r.IntN(len(worlds))], worlds[r.IntN(len(worlds))]
		if r.IntN(2) == 0 {
			world = worlds[len(worlds)-1]
		}
		a := randomAccess(bed, s, r)
		result, after := perform(world, &a)
		mixed := slices.Clone(other)
		for _, p := range a.touches {
			mixed[p] = world[p]
		}
		result2, after2 := perform(mixed, &a)
		same := result == result2
		for p := range parts {
			if slices.Contains(a.touches, p) {
				same = same && after[p] == after2[p]
				changed[fmt.Sprint(len(a.touches), after[p] != world[p])] = true
			} else {
				same = same && after[p] == world[p] && after2[p] == mixed[p]
			}
		}
		if !same {
			t.Fatalf("%s touches %v: from %v to %v, answers %#x; from %v to %v, answers %#x", a.name, a.touches, world, after,
				result, mixed, after2, result2)
		}
		worlds = append(worlds, after)
		if len(worlds) > 200 {
			worlds = worlds[100:]
		}
	}
	if len(changed) < 5 {
		t.Errorf("what happened: %v", changed)
	}
}

// A wire that is caught says so, and does nothing before it is driven.
func TestStatesCatch(t *testing.T) {
	bed := newTestbed(t, gicv3.DefaultSpec(2, redistBase))
	bed.boot(true)
	s := gicv3.NewStates(bed.gic)
	var wires []string
	s.Catch(func(w gicv3.Wire, level bool) { wires = append(wires, fmt.Sprintf("%#x %v", uint64(w), level)) },
		func(to int, _ uint64) { wires = append(wires, fmt.Sprint("SGI to ", to)) }, nil, nil)
	spi, _ := bed.gic.SPI(40)
	ppi, _ := bed.gic.PPI(1, 27)
	spi.SetLine(true)
	ppi.SetLine(true)
	bed.msr(0, gic.ICC_SGI1R_EL1, gic.ICC_SGI1R_EL1_TargetList.Put(0, 2))
	if want := []string{"0x28 true", "0x20000001b true", "SGI to 1"}; !slices.Equal(wires, want) {
		t.Errorf("caught %q, want %q", wires, want)
	}
	if bed.ports[0].irq || bed.ports[1].irq || s.Raised(1, s.State(1)) {
		t.Error("an interrupt came")
	}
	s.Drive(0x2_0000_001b, true)
	if !s.Raised(1, s.State(1)) || s.Raised(0, s.State(0)) {
		t.Error("the PPI did not come to its PE")
	}
	s.Drive(40, true)
	if !s.Raised(0, s.State(0)) {
		t.Error("the SPI did not come")
	}
	if got := s.Register(1, a64.ISR_EL1, false, 0); !slices.Equal(got, []int{1}) {
		t.Errorf("ISR_EL1 touches %v", got)
	}
	if got := s.Register(1, a64.MIDR_EL1, false, 0); got != nil {
		t.Errorf("MIDR_EL1 touches %v", got)
	}
}
