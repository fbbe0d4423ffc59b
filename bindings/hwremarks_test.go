package bindings

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/result"
)

// TestRemarks: a remark has its CPU, its register and its time, for the script, in the trace and at the end; the number
// of those that are kept is bounded.
func TestRemarks(t *testing.T) {
	var out bytes.Buffer
	s := &Session{Report: &result.Report{}}
	h, err := NewHost(s, host.Options{Seed: 1, Preload: true, Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	err = h.Run(context.Background(), "test.lua", `
		local m = hw.machine("virt", { cpus = 2, jitter = false })
		local gicd = u64"0x08000000"
		print(#m:remarks(), m:remarks().dropped)
		print(m:trace(function()
			m:run(1, function(cpu)
				cpu:exec(1000)
				cpu:msr("ICC_EOIR1_EL1", 40)
				cpu:load(gicd + 0xc000, nil, 8)
			end)
		end))
		for _, r in ipairs(m:remarks()) do print(r.time, r.source, r.register, r.what) end
		m:run(0, function(cpu) for i = 1, 120 do cpu:msr("ICC_EOIR1_EL1", i) end end)
		print(#m:remarks(), m:remarks().dropped)
		explore.run { name = "x", machine = hw.machine("virt", { cpus = 1 }), program = function(m)
			m:spawn(0, function(cpu) cpu:msr("ICC_EOIR1_EL1", 40) end)
		end }`)
	if err != nil {
		t.Fatal(err)
	}
	const eoir = "ICC_EOIR1_EL1: wrote EOIR while no interrupt of that group has the running priority, INTID 40"
	want := strings.Join([]string{
		"0\t0",
		"       500.000  CPU1    msr ICC_EOIR1_EL1 <- 0x28 (INTID=0x28)",
		"       500.000  CPU1    remark: " + eoir,
		"       570.000  CPU1    remark: GICD+0xc000: read of 8 bytes: no register of this size",
		"       570.000  CPU1    read GICD+0xc000 -> 0x0", "",
		"500000\tCPU1\t" + strings.Replace(eoir, ": ", "\t", 1),
		"570000\tCPU1\tGICD+0xc000\tread of 8 bytes: no register of this size",
		"100\t22", "",
	}, "\n")
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	lines := s.Remarks()
	if n := len(lines); n != maxRemarkLines+1 || lines[0] != "remark on virt at 500.000 ns: CPU1: "+eoir ||
		lines[n-1] != "102 more remarks" {
		t.Errorf("%d lines: %q", n, lines)
	}
}
