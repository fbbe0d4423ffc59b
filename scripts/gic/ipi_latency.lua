--! args -p iters=20 -p runs=4
-- A cheaper barrier before the SGI: 1000 x 96 smp_call_function_single from one CPU, wmb() against dsb(ishst).
--
-- The loop is the benchmark module of commit 80e4e1f47288 (irqchip/gic-v3: Use dsb(ishst) to order writes with
-- ICC_SGI1R_EL1 accesses): stores to cache lines of its own, then a call to each CPU in turn, the own one included.
local hw, bench = require "hw", require "bench"

local p = bench.params {
  machine = { "kunpeng920", choices = hw.presets(), doc = "preset" },
  cpus = { 0, doc = "CPUs of the machine, 0 for the preset's number", min = 0, max = 4096 },
  from = { 0, doc = "CPU that calls", min = 0 },
  iters = { 1000, doc = "rounds over all CPUs", min = 1 },
  stores = { 7, doc = "cache lines written before each call", min = 0, max = 1024 },
  runs = { 10, doc = "runs of each case", min = 1 },
  barriers = {
    { "dsb_st", "dsb_ishst" }, choices = hw.ipi_barriers(),
    doc = "barriers in gic_ipi_send_mask, the first is the base",
  },
}

-- What the kernel calls the two barriers of the patch, and the seed document its rows.
local labels = { dsb_st = "wmb()", dsb_ishst = "dsb(ishst)" }
local rows_of = { dsb_st = "wmb", dsb_ishst = "dsb_ishst" }

local function label(barrier) return labels[barrier] or barrier end

local function new_machine(barrier, changes)
  changes = changes or {}
  changes.linux = changes.linux or {}
  changes.linux.ipi_barrier = barrier
  if p.cpus > 0 then changes.cpus = p.cpus end
  return hw.machine(p.machine, changes)
end

local function ipi_latency(m, iters)
  local data = p.stores > 0 and m:lines(p.stores)
  return m:run(p.from, function(cpu)
    local start = cpu:ktime()
    for _ = 1, iters or p.iters do
      for target = 0, m.ncpus - 1 do
        if data then cpu:write_all(data, target) end
        cpu:smp_call_function_single(target, nil, true)
      end
    end
    return cpu:ktime() - start
  end)
end

-- The published figures are those of the module as it was run: 1000 rounds, 7 stores, from CPU 0 of the whole machine.
local published
if p.machine == "kunpeng920" and p.cpus == 0 and p.from == 0 and p.stores == 7 and p.iters == 1000 then
  published = {}
  for _, barrier in ipairs(p.barriers) do
    if rows_of[barrier] then published[label(barrier)] = bench.published("000", rows_of[barrier]) end
  end
end

local comparison = {
  name = "ipi_latency", unit = "ns", runs = p.runs, body = ipi_latency, published = published,
}
for i, barrier in ipairs(p.barriers) do
  comparison[i] = { label(barrier), function() return new_machine(barrier) end }
end
bench.compare(comparison)

-- Where the time of one remote call goes, on the average over one round.
local m = new_machine(p.barriers[1])
ipi_latency(m, 1) -- the caches fill
local profile = m:profile(function() ipi_latency(m, 1) end)
if profile.calls > 0 then
  local rows, sum = {}, 0
  for _, part in ipairs(profile.parts) do
    rows[#rows + 1] = { part.name, part.ps, string.format("%.3f", part.ps / profile.calls / 1000),
      string.format("%.1f %%", part.ps / profile.total * 100) }
    sum = sum + part.ps
  end
  assert(sum == profile.total, "the parts do not add up to the whole")
  rows[#rows + 1] = { "sum", sum, string.format("%.3f", sum / profile.calls / 1000), "100.0 %" }
  bench.table {
    title = string.format("Where the time of a remote call goes: %s, %d calls", label(p.barriers[1]), profile.calls),
    columns = { "part", "ps, all calls", "ns, one call", "share" }, rows = rows,
  }
end
