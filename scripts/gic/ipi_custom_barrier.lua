-- gic_ipi_send_mask written in Lua: the same steps as the kernel's take the same simulated time, to the picosecond.
local hw, bench = require "hw", require "bench"

local p = bench.params {
  machine = { "kunpeng920", choices = hw.presets(), doc = "preset" },
  rounds = { 3, doc = "rounds over all CPUs", min = 1 },
}

local function run(m)
  local data = m:lines(7)
  m:run(0, function(cpu)
    for _ = 1, p.rounds do
      for target = 0, m.ncpus - 1 do
        cpu:write_all(data, target)
        cpu:smp_call_function_single(target, nil, true)
      end
    end
  end)
  return m:now()
end

local native = hw.machine(p.machine, { linux = { ipi_barrier = "dsb_ishst" } })

local custom = hw.machine(p.machine, { linux = { ipi_barrier = "none" } })
local costs = custom.linux.costs
custom.linux.gic_ipi_send_mask = function(cpu, mask, intid)
  cpu:exec(costs.send_mask)
  cpu:dsb "ishst" -- the line to change
  local target = mask:next(0)
  while target do
    local sgi1r
    sgi1r, target = mask:target_list(target)
    cpu:msr("ICC_SGI1R_EL1", sgi1r + intid * 2 ^ 24)
  end
  cpu:isb()
end

local a, b = run(native), run(custom)
print(string.format("gic_ipi_send_mask of the kernel  %15d ps", a))
print(string.format("gic_ipi_send_mask in Lua         %15d ps", b))
if a ~= b then error(string.format("they differ by %d ps", b - a)) end
print "the same picosecond"
