package machine_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// ipiLoop is the benchmark module of commit 80e4e1f47288: seven stores, then smp_call_function_single, to every CPU.
type ipiLoop struct {
	kernel  *linux.Kernel
	cpu     *cpu.CPU
	data    uint64
	stores  int
	iters   int
	targets int
	elapsed sim.Time
	calls   int
	err     error
}

func (l *ipiLoop) Run(*sim.Proc) {
	start := l.cpu.Now()
	for range l.iters {
		for target := range l.targets {
			for i := range l.stores {
				l.cpu.Store(l.data+uint64(i*mem.LineSize), 4, uint64(target), bus.Plain)
			}
			if err := l.kernel.SMPCallFunctionSingle(l.cpu, target, nil, 0, true); err != nil {
				l.err = err
				return
			}
			l.calls++
		}
	}
	l.elapsed = l.cpu.Now() - start
}

// boot makes a preset's machine with changes.
func boot(t testing.TB, preset string, change func(*machine.Spec)) *machine.Machine {
	t.Helper()
	m := build(t, preset, change)
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	return m
}

// runLoop runs the loop from CPU 0 with seven stores.
func runLoop(t testing.TB, m *machine.Machine, iters int) *ipiLoop {
	t.Helper()
	data, err := m.Memory.Alloc(7 * mem.LineSize)
	if err != nil {
		t.Fatal(err)
	}
	l := &ipiLoop{kernel: m.Kernel, cpu: m.CPUs[0], data: data, stores: 7, iters: iters, targets: len(m.CPUs)}
	if err := m.Run(0, l); err != nil {
		t.Fatal(err)
	}
	if l.err != nil {
		t.Fatal(l.err)
	}
	return l
}

func benchmarkIPI(b *testing.B, preset string, change func(*machine.Spec)) {
	m := boot(b, preset, change)
	runLoop(b, m, 1) // the slabs grow
	rounds := (b.N + len(m.CPUs) - 1) / len(m.CPUs)
	b.ReportAllocs()
	b.ResetTimer()
	l := runLoop(b, m, rounds)
	b.StopTimer()
	host := float64(b.Elapsed().Nanoseconds())
	simulated := float64(l.elapsed) / float64(sim.Nanosecond)
	b.ReportMetric(simulated/host, "rtf")
	b.ReportMetric(host/float64(l.calls), "ns/IPI")
	b.ReportMetric(simulated/float64(l.calls), "sim-ns/IPI")
}

// BenchmarkIPI is the loop on the machine that it was published for: rtf is simulated time over host time.
func BenchmarkIPI(b *testing.B) { benchmarkIPI(b, "kunpeng920", nil) }

// BenchmarkIPIVirt96, BenchmarkIPIVirt1024 and BenchmarkIPIVirt4096 say what a larger machine costs.
func BenchmarkIPIVirt96(b *testing.B) {
	benchmarkIPI(b, "virt", func(s *machine.Spec) { s.CPUs = 96 })
}

func BenchmarkIPIVirt1024(b *testing.B) {
	benchmarkIPI(b, "virt", func(s *machine.Spec) { s.CPUs = 1024 })
}

func BenchmarkIPIVirt4096(b *testing.B) {
	benchmarkIPI(b, "virt", func(s *machine.Spec) { s.CPUs = gicv3.MaxCPUs })
}

// BenchmarkNew is a machine of four CPUs without its boot.
func BenchmarkNew(b *testing.B) {
	spec, _ := machine.Preset("virt")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := machine.New(spec); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBoot is the largest machine, built and booted.
func BenchmarkBoot(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		boot(b, "virt", func(s *machine.Spec) { s.CPUs = gicv3.MaxCPUs })
	}
}

// BenchmarkBootITS is the machine with an ITS.
func BenchmarkBootITS(b *testing.B) {
	for b.Loop() {
		if err := boot(b, "qdf2400", nil).Close(); err != nil {
			b.Fatal(err)
		}
	}
}
