package litmus

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/mem"
)

// Each mutation of the memory model, by name, makes a forbidden outcome come.
func TestModelMutations(t *testing.T) {
	const published = "SGI\tW x 1; dsb ishst; msr SGI1R | IRQ: R x\tIRQ: R x=0"
	for _, m := range []struct {
		name, row, mutated string
		without            mem.Rule
	}{
		{name: "barrier dropped", row: published, mutated: "SGI\tW x 1; msr SGI1R | IRQ: R x\tIRQ: R x=0"},
		{name: "DMB for DSB", row: published, mutated: "SGI\tW x 1; dmb ishst; msr SGI1R | IRQ: R x\tIRQ: R x=0"},
		{
			name: "drain across a release", row: "MP\tW x 1; L y 1 | A y; R x\t1:A y=1 & 1:R x=0",
			without: mem.ReleaseDrainsLast,
		},
		{name: "same-location drains swapped", row: "CoWW\tW x 1; W x 2\tx=1", without: mem.SameLocationInOrder},
		{
			name: "LDAR like LDAPR", row: "SB\tL x 1; A y | L y 1; A x\t0:A y=0 & 1:A x=0",
			without: mem.AcquireAwaitsReleases,
		},
		{
			name: "STXR never fails", row: "X\tLDXR-STXR x 1 | LDXR-STXR x 2\t0:LDXR-STXR x=0 & 1:LDXR-STXR x=0",
			without: mem.ExclusiveCanFail,
		},
		{name: "view not raised at interrupt entry", row: published, without: mem.InterruptSeesPresent},
	} {
		t.Run(m.name, func(t *testing.T) {
			row := parsed(t, m.row)
			if weak(row, explored(t, row, mem.ExploredSpec{}, explore.Options{})) {
				t.Error("found without the mutation")
			}
			if m.mutated != "" {
				row = parsed(t, m.mutated)
			}
			if !weak(row, explored(t, row, mem.ExploredSpec{Without: m.without}, explore.Options{})) {
				t.Error("not found")
			}
		})
	}
}

func parsed(t testing.TB, row string) *Test {
	t.Helper()
	test, err := Parse(row)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// The layout of a hand-made remote call in s.data: the queue, the csd's lock and its argument.
const (
	queueAt  = 0
	lockAt   = 64
	argument = 128
)

// SGIs that the kernel has enabled and does not use here: the call, and the wake-up of the caller.
const (
	callSGI = 2
	wakeSGI = 3
)

func sendSGI(c *cpu.CPU, intid uint64, target int) {
	v := gic.ICC_SGI1R_EL1_INTID.Put(0, intid)
	c.WriteSys(gic.ICC_SGI1R_EL1, gic.ICC_SGI1R_EL1_TargetList.Put(v, 1<<target))
}

// remote is a remote call as smp_call_function_single makes it, but that the caller sleeps until it is woken; once for
// each mutation.
type remote struct {
	readLate bool // the callee reads the csd after it has unlocked it
	skipIPI  bool // no IPI although the queue was empty
	early    bool // the wake-up before the unlock
}

// call sends a value to CPU 1, and uses the csd for something else when it is unlocked.
func (r remote) call(s *kernelSubject, c *cpu.CPU) {
	c.Store(s.data+argument, 8, 1, bus.Plain)
	c.Store(s.data+lockAt, 8, 1, bus.Plain)
	old := c.Atomic(s.data+queueAt, 8, bus.Swap, 1, 0, bus.AcquireRelease)
	if (old == 0) != r.skipIPI {
		c.Fence(arm.DSBISHST)
		sendSGI(c, callSGI, 1)
	}
	c.MaskIRQ(true)
	for c.Load(s.data+lockAt, 8, bus.Acquire) != 0 {
		c.WaitForInterrupt()
		c.MaskIRQ(false)
		c.MaskIRQ(true)
	}
	c.MaskIRQ(false)
	c.Store(s.data+argument, 8, 2, bus.Plain)
}

// handle is the callee.
func (r remote) handle(s *kernelSubject, c *cpu.CPU) {
	if c.Atomic(s.data+queueAt, 8, bus.Swap, 0, 0, bus.AcquireRelease) == 0 {
		return
	}
	v := c.Load(s.data+argument, 8, bus.Plain)
	if r.early {
		sendSGI(c, wakeSGI, 0)
	}
	c.Store(s.data+lockAt, 8, 0, bus.Release)
	if r.readLate {
		v = c.Load(s.data+argument, 8, bus.Plain)
	}
	if !r.early {
		c.Fence(arm.DSBISHST)
		sendSGI(c, wakeSGI, 0)
	}
	s.calls++
	s.stale = s.stale || v != 1
}

func (r remote) subject() (*kernelSubject, error) {
	s, err := newKernelSubject(irqchip.BarrierDSBISHST, mem.ExploredSpec{}, r.call)
	if err != nil {
		return nil, err
	}
	s.Kernel.RequestIRQ(callSGI, func(c *cpu.CPU, _ uint64) { r.handle(s, c) })
	s.Kernel.RequestIRQ(wakeSGI, func(*cpu.CPU, uint64) {})
	s.Checkpoint()
	return s, nil
}

// Each mutation of the kernel's protocol, by name, is found.
func TestKernelMutations(t *testing.T) {
	for _, m := range []struct {
		name string
		r    remote
		want string
	}{
		{name: "unchanged"},
		{"wake before unlock", remote{early: true}, "deadlock: CPU0 waits for an interrupt"},
		{"csd read after unlock", remote{readLate: true}, "stale read"},
		{"IPI skipped although the queue was empty", remote{skipIPI: true}, "deadlock: CPU0 waits for an interrupt"},
	} {
		t.Run(m.name, func(t *testing.T) {
			r := exploreKernel(t, explore.Options{}, m.r.subject)
			got := ""
			if r.Failure != nil {
				got = r.Failure.Finding
			}
			t.Log(r)
			if got != m.want || r.Limits != 0 {
				t.Errorf("found %q, expected %q", got, m.want)
			}
		})
	}
}
