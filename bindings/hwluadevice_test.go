package bindings

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/result"
)

// latch is a device with one register of which reads and writes are counted, and a program on it.
const latch = `
local m = hw.machine("virt", { cpus = 2, jitter = false })
local value, log = u64(0), {}
local dev = m:device {
  name = "latch", base = 0x9000000, size = 8192,
  read = function(offset, size) log[#log + 1] = "r" .. offset .. "/" .. size; return value end,
  write = function(offset, v, size) log[#log + 1] = "w" .. offset .. "/" .. size; value = v end,
}
`

// TestLuaDevice: loads and stores of every size reach the functions, in the order of the program, and values of 64 bits
// come through whole.
func TestLuaDevice(t *testing.T) {
	got := output(t, latch+`
		check.eq(dev:addr(0x1ff8), u64"0x9001ff8")
		m:run(0, function(cpu)
			cpu:store(dev:addr(8), u64"0xfedcba9876543210")
			check.eq(cpu:load(dev:addr(8)), u64"0xfedcba9876543210", "a load waits for the store before it")
			for _, size in ipairs { 1, 2, 4 } do
				cpu:store(dev:addr(16), u64"0x1122334455667788", nil, size)
				cpu:load(dev:addr(16), nil, size)
			end
		end)
		print(table.concat(log, " "))
		print(dev)
		local written
		local clock = m:device {
			name = "clock", base = 0x9003000,
			read = function() return m:now() end, write = function() written = m:now() end,
		}
		local start = m:run(1, function(cpu)
			local start = cpu:now()
			cpu:store(clock:addr(0), 1)           -- arrives after 50 ns
			cpu:exec(2000)
			return start
		end)
		check.eq(written, start + 50000, "a write is at the time at which it arrives")
		m:run(1, function(cpu)
			local before = cpu:now()
			check.eq(cpu:load(clock:addr(0)), before + 50000, "a read is half way")
		end)
		local other = m:device { name = "hole", base = 0x9002000 }
		m:run(1, function(cpu)
			cpu:store(other:addr(0), 5)
			check.eq(cpu:load(other:addr(0)), 0, "no functions: reads as zero, ignores writes")
		end)
		print(m:trace(function() m:run(0, function(cpu) cpu:load(dev:addr(4), nil, 4) end) end))
		local text = m:describe()
		check.eq(text:sub(-#"hole at 0x9002000, 0x1000 bytes, in Lua\n"), "hole at 0x9002000, 0x1000 bytes, in Lua\n")`)
	want := "w8/8 r8/8 w16/1 r16/1 w16/2 r16/2 w16/4 r16/4\nlatch at 0x9000000, 0x2000 bytes, in Lua\n"
	if !strings.HasPrefix(got, want) || !strings.Contains(got, "CPU0    read latch+0x4 -> 0x55667788\n") {
		t.Errorf("got:\n%s", got)
	}
}

// TestLuaDeviceErrors: an error of a device's function ends the run with one line: where in the script, which access,
// when, and by whose program if that waits for the answer.
func TestLuaDeviceErrors(t *testing.T) {
	device := func(functions string) string {
		return `local m = hw.machine("virt", { jitter = false })
local dev = m:device { name = "dev", base = 0x9000000, ` + functions + " }\n"
	}
	const load = "m:run(0, function(cpu) pcall(cpu.load, cpu, dev:addr(8)); error('went on') end)"
	const store = "m:run(0, function(cpu) cpu:store(dev:addr(8), 1); cpu:dsb 'sy'; cpu:load(dev:addr(0)) end)"
	for _, row := range []struct{ functions, program, want string }{
		{`read = function() error("boom") end`, load,
			"test.lua:2: boom (in the read of dev+0x0008 at 50.000 ns) (in the program of CPU0 at 100.000 ns)"},
		{`read = function() end`, load, "test.lua:2: read(0x8, 8) of device dev: expected an integer of 64 bits, got nil"},
		{`read = function() return 1.5 end`, load,
			"test.lua:2: read(0x8, 8) of device dev: expected an integer of 64 bits, got 1.5"},
		{`read = function() return "1" end`, load,
			`test.lua:2: read(0x8, 8) of device dev: expected an integer of 64 bits, got "1"`},
		{`read = type`, load, `test.lua:3: read(0x8, 8) of device dev: expected an integer of 64 bits, got "number"`},
		{`read = function() return 256 end`, "m:run(0, function(cpu) cpu:load(dev:addr(8), nil, 1) end)",
			"test.lua:2: read(0x8, 1) of device dev: expected an integer of 8 bits, got 256"},
		{`read = function() m:cpu(0):load(0x40000000) end`, load,
			"test.lua:2: CPU 0 used in a function of device dev, which must not wait: a device answers at once"},
		{`read = function() m:run(1, function() end) end`, load,
			"test.lua:2: Machine:run used in a function of device dev, which must not wait"},
		{`write = function() error("boom") end`, store, "test.lua:2: boom (in the write of dev+0x0008 at 50.000 ns)"},
		{`write = function() m:run() end`, store, "test.lua:2: Machine:run used in a function of device dev"},
		{`write = function() m:cpu(0):exec(5) end`, store, "test.lua:2: CPU 0 used in a function of device dev"},
	} {
		err := runScript(t, device(row.functions)+row.program)
		if err == nil || !strings.HasPrefix(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\ngot  %v\nwant %s", row.functions, err, row.want)
		}
		var script *host.ScriptError
		if !errors.As(err, &script) || host.ExitCode(err) != 1 {
			t.Errorf("%s: not an error of the script: %v", row.functions, err)
		}
	}
}

// runScript returns the error of a script.
func runScript(t *testing.T, code string) error {
	t.Helper()
	var out bytes.Buffer
	s := &Session{Report: &result.Report{}}
	h, err := NewHost(s, host.Options{Seed: 1, Preload: true, Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	return h.Run(context.Background(), "test.lua", code)
}

// TestIRQLine: the level that a device drives is the interrupt's, at the CPU that it is routed to, and for a private
// interrupt at its own.
func TestIRQLine(t *testing.T) {
	got := output(t, `
		local m = hw.machine("virt", { cpus = 2, jitter = false })
		local function pending() return m.gicd.GICD_ISPENDR1:bits(8, 8) end
		local irq = m:irq_line(40)
		check.eq(pending(), 0)
		irq:raise(); irq:raise(); check.eq(pending(), 1, "level: pending while high")
		irq:lower(); check.eq(pending(), 0)
		irq:pulse(); check.eq(pending(), 0, "level: nothing is left of a pulse")
		m.gicd.GICD_ICFGR2 = 0x20000              -- INTID 40 edge-triggered
		irq:pulse(); check.eq(pending(), 1, "edge: a pulse is kept")
		local private = m:irq_line(25, 1)
		private:raise()
		check.eq(m.gicr[0].GICR_ISPENDR0:bits(25, 25), 0)
		check.eq(m.gicr[1].GICR_ISPENDR0:bits(25, 25), 1)
		print(private, irq)
		print(m:trace(function() private:lower(); irq:pulse() end))`)
	want := "interrupt line IRQ25 of CPU1, high\tinterrupt line IRQ40, low\n" +
		"         0.000  IRQ25 of CPU1 low\n         0.000  IRQ40   high\n         0.000  IRQ40   low\n\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// exploredDevice is a mailbox under exploration: the interrupt must not overtake the message.
const exploredDevice = `
local r = explore.run {
  name = "mailbox", machine = hw.machine("virt", { cpus = 2, jitter = false }),
  program = function(m)
    local data = m:lines(1, "data"):addr(0)
    local irq, full = m:irq_line(40), 0
    local box = m:device {
      name = "box", base = 0x9000000,
      read = function() return full end,
      write = function(offset, v) BODY if v == 1 then full = 1; irq:pulse() else full = 0 end end,
    }
    m.gicd.GICD_IROUTER40 = 1
    m.gicd.GICD_ICFGR2 = 0x20000
    m.gicd.GICD_ISENABLER1 = 0x100
    m:cpu(1):on_irq(function(cpu)
      local id = cpu:mrs("ICC_IAR1_EL1")
      m:assert(cpu:load(data) == 1, "stale message")
      cpu:store(box:addr(0), 0, nil, 4)
      cpu:load(box:addr(0), nil, 4)
      cpu:msr("ICC_EOIR1_EL1", id); cpu:msr("ICC_DIR_EL1", id)
    end)
    m:spawn(0, function(cpu) cpu:store(data, 1); BARRIER cpu:store(box:addr(0), 1, nil, 4) end)
  end,
}
print(r.verdict)`

// TestExploredDevice: a device that is made for each execution is explored with it.
func TestExploredDevice(t *testing.T) {
	run := func(barrier, body string) (string, error) {
		script := strings.NewReplacer("BARRIER", barrier, "BODY", body).Replace(exploredDevice)
		return exploreScript(t, &Session{}, script)
	}
	if got, err := run(`cpu:dsb "st"`, ""); err != nil || !strings.HasPrefix(got, "verified: ") {
		t.Errorf("with a barrier: %v\n%s", err, got)
	}
	if got, err := run("", ""); err != nil || !strings.HasPrefix(got, "found: stale message") {
		t.Errorf("without a barrier: %v\n%s", err, got)
	}
	_, err := run("", `error "boom"`)
	if err == nil || !strings.Contains(err.Error(), "boom (in the write of box+0x0000") {
		t.Errorf("an error in the device: %v", err)
	}
	got, err := run("", `error "boom"`)
	if err == nil || strings.Contains(got, "verified") {
		t.Errorf("an error in the device is no finding: %v\n%s", err, got)
	}
	_, err = exploreScript(t, &Session{}, latch+`
		explore.run { name = "x", machine = m, program = function(m) end }`)
	if err == nil || !strings.Contains(err.Error(), "explore.run: device latch was made outside of the program function") {
		t.Errorf("a device from outside: %v", err)
	}
}

// TestExploredLevel: an interrupt whose level a handler lowers comes once if it is ended when the device has been read
// back, behind a barrier. Without the barrier it may come again and again.
func TestExploredLevel(t *testing.T) {
	for _, c := range []struct{ barrier, want string }{
		{`cpu:dsb "sy"`, "verified: 2 executions"}, {`cpu:dsb "ld"`, "verified: 2 executions"},
		{`cpu:dsb "st"`, "not exhaustive: "}, {`cpu:dmb "sy"`, "not exhaustive: "}, {"", "not exhaustive: "},
	} {
		got, err := exploreScript(t, &Session{}, strings.Replace(`
local r = explore.run {
  name = "level", machine = hw.machine("virt", { cpus = 2, jitter = false }), max_events = 60, max_executions = 100,
  program = function(m)
    local irq, full = m:irq_line(40), 0
    local box = m:device {
      name = "box", base = 0x9000000, read = function() return full end,
      write = function(_, v) if v == 1 then full = 1; irq:raise() else full = 0; irq:lower() end end,
    }
    m.gicd.GICD_IROUTER40 = 1
    m.gicd.GICD_ISENABLER1 = 0x100
    m:cpu(1):on_irq(function(cpu)
      local id = cpu:mrs("ICC_IAR1_EL1")
      if id ~= 1023 then
        cpu:store(box:addr(0), 0, nil, 4); cpu:load(box:addr(0), nil, 4); BARRIER
        cpu:msr("ICC_EOIR1_EL1", id); cpu:msr("ICC_DIR_EL1", id)
      end
    end)
    m:spawn(0, function(cpu) cpu:store(box:addr(0), 1, nil, 4) end)
  end,
}
print(r.verdict)`, "BARRIER", c.barrier, 1))
		if err != nil || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %v %s", c.barrier, err, got)
		}
	}
}

// TestExploredDeviceState: accesses come in every order, the check sees the last state, and devices that share Lua
// state are refused, since each is ordered by itself.
func TestExploredDeviceState(t *testing.T) {
	const script = `
local log, n
local r = explore.run {
  name = "state", machine = hw.machine("virt", { cpus = 2, jitter = false }),
  program = function(m)
    n, log = 0, {}
    local a = m:device {
      name = "a", base = 0x9000000,
      read = function() n = n + 1; return n end, write = function(_, v) n = v:tonumber(); log[#log + 1] = n end,
    }
    MORE
    m:spawn(0, function(cpu) cpu:store(a:addr(0), 10) end)
    m:spawn(1, function(cpu) local v = cpu:load(a:addr(0)); m:assert(v == 1 or v == 11, "what was read") end)
  end,
  check = function() CHECK end,
}
print(r.verdict)`
	for _, c := range []struct{ more, check, want string }{
		{"", `if n ~= 10 and n ~= 11 then return "n " .. n end; if #log ~= 1 or log[1] ~= 10 then return "log" end`,
			"verified: 2 executions"},
		{"", `if n ~= 10 then return "read last" end`, "found: read last"},
		{"", `if n ~= 11 then return "written last" end`, "found: written last"},
		{`m:device { name = "b", base = 0x9001000, read = function() return n end }`, "",
			`error: t:11: variable "n" is assigned by device a (t:9) and used by device b (t:11)`},
	} {
		got, err := exploreScript(t, &Session{}, strings.NewReplacer("MORE", c.more, "CHECK", c.check).Replace(script))
		if err != nil {
			got = "error: " + err.Error()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %s: %s, expected %s", c.more, c.check, got, c.want)
		}
	}
}

// TestExploredChoice: which of several PEs takes a 1-of-N interrupt is the implementation's choice, so that an
// exploration in which the first always does would verify what is false.
func TestExploredChoice(t *testing.T) {
	const script = `
local r = explore.run {
  name = "1 of N", machine = hw.machine("kunpeng920", { cpus = 2, jitter = false }),
  program = function(m)
    local irq = m:irq_line(40)
    local box = m:device {
      name = "box", base = 0x90000000, read = function() return 0 end, write = function() irq:pulse() end,
    }
    m.gicd.GICD_IROUTER40 = 0x80000000         -- Interrupt_Routing_Mode
    m.gicd.GICD_ICFGR2 = 0x20000
    m.gicd.GICD_ISENABLER1 = 0x100
    LEAVE
    for i = 0, 1 do
      m:cpu(i):on_irq(function(cpu)
        local id = cpu:mrs("ICC_IAR1_EL1")
        m:assert(i == 0, "CPU1 takes it")
        cpu:msr("ICC_EOIR1_EL1", id); cpu:msr("ICC_DIR_EL1", id)
      end)
    end
    m:spawn(0, function(cpu) cpu:store(box:addr(0), 1, nil, 4) end)
  end,
}
print(r.verdict)`
	got, err := exploreScript(t, &Session{}, strings.Replace(script, "LEAVE", "", 1))
	if err == nil || !strings.Contains(err.Error(), "a 1-of-N interrupt that more than one PE may take") {
		t.Errorf("two participants: %v\n%s", err, got)
	}
	for leaves, want := range map[string]string{
		"1": "verified: ", "0": "found: CPU1 takes it", // GICR_CTLR.DPG1NS
	} {
		got, err := exploreScript(t, &Session{}, strings.Replace(script, "LEAVE",
			"m.gicr["+leaves+"].GICR_CTLR = 0x2000000", 1))
		if err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("CPU%s leaves: %v\n%s", leaves, err, got)
		}
	}
}
