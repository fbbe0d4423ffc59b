package linux_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
)

// BenchmarkPause is a pause of 79 CPUs, break-before-make of eight entries, and the CPUs' return. 600 pages of 1 GiB
// take 312,000 of them.
func BenchmarkPause(b *testing.B) {
	for _, form := range []linux.PauseForm{linux.PauseV1, linux.PauseV2} {
		b.Run(form.String(), func(b *testing.B) {
			m := boot(b, "arm80", func(s *machine.Spec) {
				s.Linux.Pause, driver(s).SGIBroadcast = form, irqchip.BroadcastV2
			})
			table, err := m.Memory.Alloc(mem.LineSize)
			if err != nil {
				b.Fatal(err)
			}
			run(b, m, 0, func(c *cpu.CPU) {
				m.Kernel.Arch.LocalIRQSave(c)
				b.ReportAllocs()
				for b.Loop() {
					if err := m.Kernel.Port().UpdatePTEs(c, table, 8); err != nil {
						b.Error(err)
					}
				}
				m.Kernel.Arch.LocalIRQRestore(c, false)
			})
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/79, "ns/target")
		})
	}
}

// BenchmarkCallMany compares a broadcast with its handlers, for each target, with smp_call_function_single.
func BenchmarkCallMany(b *testing.B) {
	for _, cpus := range []int{96, 4096} {
		for _, many := range []bool{false, true} {
			name := map[bool]string{false: "single", true: "many"}[many]
			b.Run(name+"-"+map[int]string{96: "95", 4096: "4095"}[cpus], func(b *testing.B) {
				m := boot(b, "virt", func(s *machine.Spec) {
					s.CPUs, driver(s).SGIBroadcast = cpus, irqchip.BroadcastFixed
				})
				run(b, m, 0, func(c *cpu.CPU) { callAll(b, m, c, many) })
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cpus-1), "ns/target")
			})
		}
	}
}

// callAll calls all other CPUs, together or one after another.
func callAll(b *testing.B, m *machine.Machine, c *cpu.CPU, many bool) {
	b.ReportAllocs()
	for b.Loop() {
		if many {
			if err := m.Kernel.OnEachCPU(c, nil, 0, true); err != nil {
				b.Fatal(err)
			}
			continue
		}
		for target := 1; target < len(m.CPUs); target++ {
			if err := m.Kernel.SMPCallFunctionSingle(c, target, nil, 0, true); err != nil {
				b.Fatal(err)
			}
		}
	}
}
