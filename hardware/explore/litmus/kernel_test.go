package litmus

import (
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// kernelSubject runs a function of the kernel on CPU 0 of a booted machine.
type kernelSubject struct {
	*machine.Explored
	data  uint64
	run   func(s *kernelSubject, c *cpu.CPU)
	other func(s *kernelSubject, c *cpu.CPU) // on CPU 1, nil for the idle loop
	calls int
	stale bool

	outcome func() uint64 // in place of the number of calls, which then does not matter; nil for none
}

func newKernelSubject(
	barrier irqchip.IPIBarrier, spec mem.ExploredSpec, run func(s *kernelSubject, c *cpu.CPU),
) (*kernelSubject, error) {
	preset, _ := machine.Preset("virt")
	preset.CPUs, preset.Jitter = 2, false
	preset.Board.(*machine.ArmSpec).Driver.IPIBarrier = barrier
	m, err := machine.New(preset)
	if err != nil {
		return nil, err
	}
	if err := m.Boot(); err != nil {
		return nil, err
	}
	s := &kernelSubject{run: run}
	if s.data, err = m.Memory.Alloc(1024); err != nil {
		return nil, err
	}
	s.Explored = m.Explore(spec)
	return s, nil
}

func (s *kernelSubject) Engine() *sim.Engine { return s.Machine.Engine }

type programOf struct {
	s   *kernelSubject
	c   *cpu.CPU
	run func(s *kernelSubject, c *cpu.CPU)
}

func (p programOf) Run(*sim.Proc) { p.run(p.s, p.c) }

func (s *kernelSubject) Begin() {
	s.Restore()
	s.calls, s.stale = 0, false
	s.start(0, s.run)
	if s.other != nil {
		s.start(1, s.other)
	}
}

func (s *kernelSubject) start(cpu int, run func(s *kernelSubject, c *cpu.CPU)) {
	if err := s.Spawn(cpu, programOf{s, s.CPUs[cpu], run}); err != nil {
		panic(err)
	}
}

func (s *kernelSubject) End(e explore.Ending) explore.Verdict {
	v := explore.Verdict{Outcome: uint64(s.calls), Finding: s.Problem(e.Err, e.Deadlines)}
	if s.outcome != nil {
		v.Outcome = s.outcome()
		return v
	}
	switch {
	case v.Finding != "":
	case s.stale:
		v.Finding = "stale read"
	case s.calls != 1:
		v.Finding = fmt.Sprintf("the function ran %d times", s.calls)
	}
	return v
}

// call publishes a value and has another CPU read it.
func call(wait bool) func(s *kernelSubject, c *cpu.CPU) {
	return func(s *kernelSubject, c *cpu.CPU) {
		c.Store(s.data, 8, 1, bus.Plain)
		err := s.Kernel.SMPCallFunctionSingle(c, 1, func(c *cpu.CPU, _ uint64) {
			s.calls++
			s.stale = s.stale || c.Load(s.data, 8, bus.Plain) != 1
		}, 0, wait)
		if err != nil {
			panic(err)
		}
	}
}

func exploreKernel(t testing.TB, o explore.Options, build func() (*kernelSubject, error)) *explore.Report {
	t.Helper()
	r, err := explore.Explore(o, func() (explore.Subject, error) {
		s, err := build()
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The kernel's own call without any barrier: the cmpxchg that queues the csd hides the failure where atomics act on
// memory at once. Where they complete like stores, the interrupt overtakes the queue.
func TestKernelCallWithoutBarrier(t *testing.T) {
	for _, buffered := range []bool{false, true} {
		for _, b := range []irqchip.IPIBarrier{irqchip.BarrierNone, irqchip.BarrierDMBISH, irqchip.BarrierDSBISHST} {
			r := exploreKernel(t, explore.Options{}, func() (*kernelSubject, error) {
				return newKernelSubject(b, mem.ExploredSpec{BufferedAtomics: buffered}, call(true))
			})
			t.Logf("%s, buffered %v: %s (%d redundant, %d steps longest)", b, buffered, r, r.Redundant, r.Longest)
			if want := buffered && b != irqchip.BarrierDSBISHST; want != (r.Failure != nil) || r.Limits != 0 {
				t.Errorf("failure %v, expected %v", r.Failure != nil, want)
			}
		}
	}
}
