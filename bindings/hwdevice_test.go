package bindings

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/result"
)

// output runs a script and returns what it printed.
func output(t *testing.T, code string) string {
	t.Helper()
	var out bytes.Buffer
	s := &Session{Report: &result.Report{}}
	h, err := NewHost(s, host.Options{Seed: 1, Preload: true, Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := h.Run(context.Background(), "test.lua", code); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	return out.String()
}

// TestDump compares the dumps of a machine in a known state with testdata/dump.txt. HWSCRIPT_UPDATE=1 rewrites it.
func TestDump(t *testing.T) {
	const file = "testdata/dump.txt"
	got := output(t, `
		local m = hw.machine("virt", { cpus = 4, jitter = false })
		local line = m:lines(1):addr(0)
		m.gicd:write("GICD_ISENABLER1", u64"0x100")   -- INTID 40
		m.gicd.GICD_IROUTER40 = u64"0x1"              -- to CPU 1
		m:cpu(1):on_irq(function(cpu) cpu:exec(10) end)
		m:spawn(2, function(cpu) cpu:wait(line, 5, 1000) end)
		m:spawn(1, function(cpu) cpu:mask_irq(true); cpu:exec(1000) end)
		m:run(0, function(cpu)
			cpu:store(line, 1)
			cpu:exec(100)
			m.gicd.GICD_ISPENDR1 = 0x100
			m.gicd:dump()
			m.gicr[3]:dump()
			m:cpu(0):dump()
			m:cpu(1):dump()
			m:cpu(2):dump()
		end)
		m:cpu(3):dump()`)
	if os.Getenv("HWSCRIPT_UPDATE") == "1" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("dumps (-want +got):\n%s", diff)
	}
}

// TestRegistersByName reads and writes registers as a debugger does.
func TestRegistersByName(t *testing.T) {
	got := output(t, `
		local m = hw.machine("virt", { cpus = 4 })
		check.eq(m.gicd:read("GICD_CTLR"), m.gicd.GICD_CTLR)
		check.eq(hw.decode("GICD_CTLR", m.gicd.GICD_CTLR).EnableGrp1, 1)
		m.gicd:write("GICD_ISENABLER1", u64"0x100")
		check.eq(m.gicd.GICD_ISENABLER1, 0x100)
		m.gicd.GICD_ICENABLER1 = 0x100
		check.eq(m.gicd.GICD_ISENABLER1, 0)
		check.eq(m.gicr[2].GICR_TYPER:bits(39, 32), 2, "affinity")
		check.eq(#m.gicr, 4)
		check.eq(m:cpu(2):read("MPIDR_EL1"):bits(7, 0), 2)
		check.eq(m:now(), 0, "no simulated time")

		local sgi = hw.decode("ICC_SGI1R_EL1", u64"0x10003020001")
		check.eq({ sgi.INTID, sgi.Aff1, sgi.TargetList, sgi.IRM }, { 3, 2, 1, 1 })
		check.eq(sgi:fields()[1], { name = "Aff3", hi = 55, lo = 48, value = 0, doc = "Affinity level 3." })`)
	if got != "" {
		t.Error(got)
	}
}

// TestDeviceWriteInterrupts makes an SPI pending from outside: the CPU that it is routed to takes it.
func TestDeviceWriteInterrupts(t *testing.T) {
	got := output(t, `
		local m, taken = hw.machine("virt", { cpus = 4 }), {}
		m:cpu(3):on_irq(function(cpu)
			local intid = cpu:mrs("ICC_IAR1_EL1")
			taken[#taken + 1] = intid
			cpu:msr("ICC_EOIR1_EL1", intid)
			cpu:msr("ICC_DIR_EL1", intid)
		end)
		m.gicd.GICD_IROUTER45 = 3
		m.gicd.GICD_ICFGR2 = u64"0x0800_0000"   -- INTID 45: edge
		m.gicd.GICD_ISENABLER1 = 0x2000
		m.gicd.GICD_ISPENDR1 = 0x2000
		m:run()
		check.eq(taken, { 45 })
		m:run(0, function(cpu) cpu:exec(50); m.gicd.GICD_ISPENDR1 = 0x2000; cpu:exec(5000); cpu:isb() end)
		check.eq(taken, { 45, 45 })`)
	if got != "" {
		t.Error(got)
	}
}

// TestCountersDiffer takes two states of the counters apart.
func TestCountersDiffer(t *testing.T) {
	got := output(t, `
		local m = hw.machine("virt")
		local before = m:stats()
		m:run(0, function(cpu) cpu:smp_call_function_single(1) end)
		local d = m:stats() - before
		check.eq(d.sgis_sent, 1)
		check.eq(d.ipis, 1)
		check.eq(m:stats():since(before).interrupts, d.interrupts)
		check.fails(function() return before - m:stats() end, "went down")
		print(d)`)
	const want = "stats: events 4, loads 10, stores 15, atomics 2, fences 2, transfers_cluster 5, transfers_dram 2, " +
		"sysreg_reads 1, sysreg_writes 3, interrupts 1, waits 1, ipis 1, sgis_sent 1, sgis_delivered 1\n"
	if got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}
