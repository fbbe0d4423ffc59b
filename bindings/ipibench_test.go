package bindings_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/bindings"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/result"
)

// BenchmarkLuaIPI is the loop of scripts/gic/ipi_latency.lua, in Lua, on the machine that it was published for: rtf is
// simulated time over host time.
func BenchmarkLuaIPI(b *testing.B) {
	s := &bindings.Session{Report: &result.Report{}}
	h, err := bindings.NewHost(s, host.Options{Preload: true, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	ctx := context.Background()
	if err := h.Run(ctx, "setup.lua", `m = hw.machine("kunpeng920"); data = m:lines(7)`); err != nil {
		b.Fatal(err)
	}
	loop := fmt.Sprintf(`return m:run(0, function(cpu)
  local start = cpu:ktime()
  for i = 1, %d do
    for target = 0, m.ncpus - 1 do
      cpu:write_all(data, target)
      cpu:smp_call_function_single(target, nil, true)
    end
  end
  return cpu:ktime() - start
end)`, (b.N+95)/96)
	b.ResetTimer()
	values, err := h.Eval(ctx, "loop.lua", loop)
	if err != nil {
		b.Fatal(err)
	}
	var simulated float64
	if _, err := fmt.Sscan(values[0].String(), &simulated); err != nil {
		b.Fatal(err)
	}
	elapsed := float64(b.Elapsed().Nanoseconds())
	b.ReportMetric(simulated/elapsed, "rtf")
	b.ReportMetric(elapsed/float64((b.N+95)/96*96), "ns/IPI")
}
