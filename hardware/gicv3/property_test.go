package gicv3_test

import (
	"fmt"
	"math/rand"
	"os"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/gicv3"
)

// The space of the comparison: two CPUs, one interrupt of each kind.
const (
	pairSGI = 1
	pairPPI = 20
	pairSPI = 40
)

var pairIDs = [...]int{pairSGI, pairPPI, pairSPI}

// pair drives the model and the plain model side by side.
type pair struct {
	*testbed
	plain *plain
	last  [2]int // what each CPU acknowledged last
	steps []pairStep
}

// pairStep is an operation with its arguments.
type pairStep struct {
	op         *pairOp
	cpu, id, v int
}

func newPair(t testing.TB) *pair {
	p := &pair{testbed: newTestbed(t, gicv3.DefaultSpec(2, redistBase)), plain: newPlain(2)}
	for cpu := range 2 {
		for _, id := range pairIDs[:2] {
			p.plain.irqs = append(p.plain.irqs, &plainIRQ{id: id, cpu: cpu, edge: id == pairSGI})
		}
	}
	p.plain.irqs = append(p.plain.irqs, &plainIRQ{id: pairSPI})
	return p
}

// set writes the bit of an interrupt in one of the set or clear registers of its frame.
func (p *pair) set(cpu, id int, dist, redist uint64) {
	if id >= 32 {
		p.dist(dist+uint64(id/32*4), 1<<(id%32))
	} else {
		p.redist(cpu, redist, 1<<id)
	}
}

// An operation acts on both models. Its arguments are small numbers, so that a sequence of them is a list of bytes.
type pairOp struct {
	name string
	do   func(p *pair, cpu, id, v int)
}

var pairOps = []pairOp{
	{"sgi1", func(p *pair, cpu, _, v int) {
		p.msr(cpu, gic.ICC_SGI1R_EL1, p.sgi1r(pairSGI, v&1))
		p.drive()
		p.plain.sgi(v&1, pairSGI, true)
	}},
	{"sgi0", func(p *pair, cpu, _, v int) {
		p.msr(cpu, gic.ICC_SGI0R_EL1, p.sgi1r(pairSGI, v&1))
		p.drive()
		p.plain.sgi(v&1, pairSGI, false)
	}},
	{"iar1", func(p *pair, cpu, _, _ int) { p.acknowledge(cpu, gic.ICC_IAR1_EL1, true) }},
	{"iar0", func(p *pair, cpu, _, _ int) { p.acknowledge(cpu, gic.ICC_IAR0_EL1, false) }},
	{"eoir1", func(p *pair, cpu, _, _ int) {
		p.msr(cpu, gic.ICC_EOIR1_EL1, uint64(p.last[cpu]))
		p.plain.end(cpu, true, p.last[cpu])
	}},
	{"eoir0", func(p *pair, cpu, _, _ int) {
		p.msr(cpu, gic.ICC_EOIR0_EL1, uint64(p.last[cpu]))
		p.plain.end(cpu, false, p.last[cpu])
	}},
	{"dir", func(p *pair, cpu, id, _ int) {
		p.msr(cpu, gic.ICC_DIR_EL1, uint64(id))
		p.plain.dir(cpu, id)
	}},
	{"line", func(p *pair, cpu, id, v int) {
		if id == pairSGI {
			return
		}
		line, err := p.gic.SPI(gic.INTID(id))
		if id < 32 {
			line, err = p.gic.PPI(cpu, gic.INTID(id))
		}
		if err != nil {
			p.Fatal(err)
		}
		line.SetLine(v&1 != 0)
		p.plain.find(cpu, id).setLine(v&1 != 0)
	}},
	{"ispendr", func(p *pair, cpu, id, _ int) {
		p.set(cpu, id, gic.GICD_ISPENDR, gic.GICR_ISPENDR0)
		p.plain.find(cpu, id).latch = true
	}},
	{"icpendr", func(p *pair, cpu, id, _ int) {
		p.set(cpu, id, gic.GICD_ICPENDR, gic.GICR_ICPENDR0)
		p.plain.find(cpu, id).latch = false
	}},
	{"isactiver", func(p *pair, cpu, id, _ int) {
		p.set(cpu, id, gic.GICD_ISACTIVER, gic.GICR_ISACTIVER0)
		p.plain.find(cpu, id).active = true
	}},
	{"icactiver", func(p *pair, cpu, id, _ int) {
		p.set(cpu, id, gic.GICD_ICACTIVER, gic.GICR_ICACTIVER0)
		p.plain.find(cpu, id).active = false
	}},
	{"isenabler", func(p *pair, cpu, id, _ int) {
		p.set(cpu, id, gic.GICD_ISENABLER, gic.GICR_ISENABLER0)
		p.plain.find(cpu, id).enabled = true
	}},
	{"icenabler", func(p *pair, cpu, id, _ int) {
		p.set(cpu, id, gic.GICD_ICENABLER, gic.GICR_ICENABLER0)
		p.plain.find(cpu, id).enabled = false
	}},
	{"group", func(p *pair, cpu, id, v int) {
		word := uint64(v&1) << (id % 32) // the other interrupts of the word do not matter here
		for _, other := range pairIDs {
			if other != id && other/32 == id/32 && p.plain.find(cpu, other).group1 {
				word |= 1 << other
			}
		}
		if id >= 32 {
			p.dist(gic.GICD_IGROUPR+4*uint64(id/32), word)
		} else {
			p.redist(cpu, gic.GICR_IGROUPR0, word)
		}
		p.plain.find(cpu, id).group1 = v&1 != 0
	}},
	{"priority", func(p *pair, cpu, id, v int) {
		priority := v * 0x14 & 0xff
		frame, off := bus.Device(p.gic.Distributor()), uint64(gic.GICD_IPRIORITYR)
		if id < 32 {
			frame, off = p.gic.Redistributor(cpu), gic.GICR_IPRIORITYR
		}
		frame.WriteReg(off+uint64(id), bus.W8, uint64(priority))
		p.plain.find(cpu, id).priority = priority
	}},
	{"trigger", func(p *pair, cpu, id, v int) {
		config := uint64(gic.Edge) * uint64(v&1) << (id % 16 * 2)
		switch {
		case id >= 32:
			p.dist(gic.GICD_ICFGR+uint64(id/16*4), config)
		case id >= 16:
			p.redist(cpu, gic.GICR_ICFGR1, config)
		default:
			return
		}
		p.plain.find(cpu, id).edge = v&1 != 0
	}},
	{"route", func(p *pair, _, _, v int) {
		p.gic.Distributor().WriteReg(gic.GICD_IROUTER+8*pairSPI, bus.W64, uint64(v%3)) // 2: nobody
		p.plain.find(0, pairSPI).cpu = v % 3
	}},
	{"mask", func(p *pair, cpu, _, v int) {
		p.msr(cpu, gic.ICC_PMR_EL1, uint64(v*0x11&0xff))
		p.plain.cpus[cpu].mask = v * 0x11 & 0xf8
	}},
	{"bpr1", func(p *pair, cpu, _, v int) {
		p.msr(cpu, gic.ICC_BPR1_EL1, uint64(v&7))
		p.plain.cpus[cpu].bpr1 = max(v&7, 3)
	}},
	{"igrpen", func(p *pair, cpu, _, v int) {
		p.msr(cpu, gic.ICC_IGRPEN0_EL1, uint64(v&1))
		p.msr(cpu, gic.ICC_IGRPEN1_EL1, uint64(v>>1&1))
		p.plain.cpus[cpu].group0, p.plain.cpus[cpu].group1 = v&1 != 0, v&2 != 0
	}},
	{"ctlr", func(p *pair, _, _, v int) {
		p.dist(gic.GICD_CTLR, uint64(v&3))
		p.plain.group0, p.plain.group1 = v&1 != 0, v&2 != 0
	}},
	{"eoimode", func(p *pair, cpu, _, v int) {
		p.msr(cpu, gic.ICC_CTLR_EL1, gic.ICC_CTLR_EL1_EOImode.Put(0, uint64(v&1)))
		p.plain.cpus[cpu].split = v&1 != 0
	}},
	{"sleep", func(p *pair, cpu, _, v int) {
		p.redist(cpu, gic.GICR_WAKER, gic.GICR_WAKER_ProcessorSleep.Put(0, uint64(v&1)))
		p.plain.cpus[cpu].asleep = v&1 != 0
	}},
}

func (p *pair) acknowledge(cpu int, reg bits.SysReg, group1 bool) {
	got, want := int(p.mrs(cpu, reg)), p.plain.acknowledge(cpu, group1)
	if got != want {
		p.fail("CPU%d: acknowledged %d, want %d", cpu, got, want)
	}
	p.last[cpu] = got
}

func (p *pair) fail(format string, args ...any) {
	p.Helper()
	var log []string
	for _, s := range p.steps {
		log = append(log, fmt.Sprintf("%s(%d,%d,%d)", s.op.name, s.cpu, s.id, s.v))
	}
	p.Fatalf("%s\nafter %v", fmt.Sprintf(format, args...), log)
}

// step performs an operation and compares all that can be seen.
func (p *pair) step(s [3]byte) {
	p.perform(s)
	p.compare()
}

// perform turns three bytes into an operation and its arguments.
func (p *pair) perform(b [3]byte) {
	s := pairStep{&pairOps[int(b[0])%len(pairOps)], int(b[1] & 1), pairIDs[int(b[1]>>1)%len(pairIDs)], int(b[2] % 16)}
	p.steps = append(p.steps, s)
	s.op.do(p, s.cpu, s.id, s.v)
}

func (p *pair) compare() {
	for cpu := range 2 {
		port, signalled := p.ports[cpu], p.plain.signalled(cpu)
		irq, fiq := signalled != nil && signalled.group1, signalled != nil && !signalled.group1
		if port.irq != irq || port.fiq != fiq {
			p.fail("CPU%d: irq %v fiq %v, want %v %v", cpu, port.irq, port.fiq, irq, fiq)
		}
		highest := [2]uint64{uint64(gic.Spurious), uint64(gic.Spurious)}
		if h := p.plain.highest(cpu); h != nil && h.group1 {
			highest[1] = uint64(h.id)
		} else if h != nil {
			highest[0] = uint64(h.id)
		}
		running, _ := p.plain.cpus[cpu].running()
		for _, r := range []struct {
			reg  bits.SysReg
			want uint64
		}{
			{gic.ICC_HPPIR0_EL1, highest[0]}, {gic.ICC_HPPIR1_EL1, highest[1]}, {gic.ICC_RPR_EL1, uint64(running)},
		} {
			if got := p.mrs(cpu, r.reg); got != r.want {
				name, _ := gic.Registers.Sys(r.reg)
				p.fail("CPU%d: %s is %#x, want %#x", cpu, name, got, r.want)
			}
		}
	}
	p.compareStates()
}

// compareStates compares the registers that show the interrupts' states.
func (p *pair) compareStates() {
	for _, i := range p.plain.irqs {
		for _, r := range []struct {
			name         string
			dist, redist uint64
			want         bool
		}{
			{"pending", gic.GICD_ISPENDR, gic.GICR_ISPENDR0, i.pending()},
			{"active", gic.GICD_ISACTIVER, gic.GICR_ISACTIVER0, i.active},
			{"enabled", gic.GICD_ISENABLER, gic.GICR_ISENABLER0, i.enabled},
		} {
			var word uint64
			if i.id >= 32 {
				word = p.readDist(r.dist + uint64(i.id/32*4))
			} else {
				word = p.readRedist(i.cpu, r.redist)
			}
			if got := word>>(i.id%32)&1 != 0; got != r.want {
				p.fail("INTID %d of CPU%d: %s is %v, want %v", i.id, i.cpu, r.name, got, r.want)
			}
		}
	}
}

// open enables everything at different priorities.
func (p *pair) open() {
	for _, name := range []string{"group", "isenabler"} {
		for n := range byte(6) {
			p.named(name, n, 1)
		}
	}
	for n := range byte(6) {
		p.named("priority", n, 4+n/2)
	}
	for cpu := range byte(2) {
		p.named("sleep", cpu, 0)
		p.named("mask", cpu, 15)
		p.named("igrpen", cpu, 3)
	}
	p.named("ctlr", 0, 3)
}

func (p *pair) named(name string, b, c byte) {
	p.Helper()
	for a := range pairOps {
		if pairOps[a].name == name {
			p.perform([3]byte{byte(a), b, c})
			return
		}
	}
	p.Fatalf("no operation %s", name)
}

// TestExhaustive enumerates all combinations of enables (the distributor's groups, the CPUs' groups, the
// interrupts) and all sequences of three of the operations of an interrupt's life.
func TestExhaustive(t *testing.T) {
	life := [][3]byte{}
	for a, op := range pairOps {
		switch op.name {
		case "sgi1":
			life = append(life, [3]byte{byte(a), 0, 1})
		case "line":
			life = append(life, [3]byte{byte(a), 3, 1}, [3]byte{byte(a), 3, 0}, [3]byte{byte(a), 5, 1})
		case "iar1", "eoir1":
			life = append(life, [3]byte{byte(a), 1, 0}, [3]byte{byte(a), 0, 0})
		case "dir":
			life = append(life, [3]byte{byte(a), 3, 0})
		}
	}
	combinations := 1 << 3
	if os.Getenv("HWSCRIPT_LONG") == "1" {
		combinations = 1 << 6
	}
	for enables := range combinations {
		for n := range len(life) * len(life) * len(life) {
			p := newPair(t)
			p.open()
			p.named("route", 0, byte(enables>>5))
			p.named("igrpen", 1, byte(enables<<1))
			p.named("ctlr", 0, byte(enables))
			for bit, b := range []byte{0, 2, 4} {
				if enables>>(2+bit)&1 != 0 {
					p.named("icenabler", b+1, 0)
				}
			}
			for _, i := range []int{n % len(life), n / len(life) % len(life), n / len(life) / len(life)} {
				p.step(life[i])
			}
		}
	}
}

// TestRandom compares long random sequences.
func TestRandom(t *testing.T) {
	runs := 200
	if os.Getenv("HWSCRIPT_LONG") == "1" {
		runs = 1000
	}
	for seed := range runs {
		rng := rand.New(rand.NewSource(int64(seed)))
		p := newPair(t)
		p.open()
		for range 200 {
			v := rng.Uint32()
			p.step([3]byte{byte(v), byte(v >> 8), byte(v >> 16)})
		}
	}
}

// FuzzOperations lets the fuzzer find the sequence.
func FuzzOperations(f *testing.F) {
	f.Add([]byte{0, 1, 1, 2, 1, 0, 4, 1, 0})
	f.Fuzz(func(t *testing.T, sequence []byte) {
		p := newPair(t)
		p.open()
		for ; len(sequence) >= 3; sequence = sequence[3:] {
			p.step([3]byte(sequence[:3]))
		}
	})
}
