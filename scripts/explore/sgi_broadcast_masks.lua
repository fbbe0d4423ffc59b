--! args -p pes=3
-- Which mask may gic_ipi_send_mask take for "all others"? Every state of up to 4 PEs, every mask and every sender, for
-- each variant: what is interrupted that should not be, and what is not that should.
--
-- A PE is wired to the interrupt controller in any case. The kernel may not know it (nr_cpus=, another partition,
-- another owner), know it as possible, as present, or run on it. IRM, the one write for all others, reaches every PE
-- that is wired but the sender.
local hw, bench = require "hw", require "bench"

local p = bench.params {
  pes = { 4, doc = "PEs at most", min = 1, max = 4 },
}

local VARIANTS = { "list", "v1", "review", "v2", "fixed" }
local SGI = 1

-- States of a PE, each with all of the ones before it.
local UNKNOWN, POSSIBLE, PRESENT, ONLINE = 0, 1, 2, 3

local function bit(set, i) return math.floor(set / 2 ^ i) % 2 == 1 end

local function list(n, has)
  local t = {}
  for i = 0, n - 1 do
    if has(i) then t[#t + 1] = i end
  end
  return t
end

local function text(t) return "{" .. table.concat(t, ",") .. "}" end

-- The callers upstream that can ask for a mask. Generic callers pass CPUs that are online, and none that is empty.
local function caller(case)
  local online, others_only, inside = 0, true, true
  for i = 0, case.n - 1 do
    local is_online, is_in = case.state[i] == ONLINE, bit(case.mask, i)
    if is_online then online = online + 1 end
    if is_in and not is_online then inside = false end
    if is_in ~= (is_online and i ~= case.self) then others_only = false end
  end
  if inside and case.mask == 2 ^ case.self then return "irq_work to the CPU itself" end
  if case.mask == 0 then return others_only and "a pause by v1 with nobody else" or nil end
  if others_only then return "stop, pause, on_each_cpu" end
  if inside and not bit(case.mask, case.self) then return "calls of some CPUs" end
  if not inside then
    for i = 0, case.n - 1 do
      if case.mask == 2 ^ i and case.state[i] == PRESENT then return "the parking protocol" end
    end
  end
  return nil
end

-- What is wrong with what became pending, in the order of importance; nil if nothing is.
local function verdict(case, pending)
  local found = {}
  for i = 0, case.n - 1 do
    local is_in = bit(case.mask, i)
    if is_in and not pending[i] then return "lost" end
    if pending[i] and not is_in then
      local state = case.state[i]
      local what = state == ONLINE and "online CPU outside of it" or state == UNKNOWN and "unknown PE"
      found[what or "latched offline"] = true
    end
  end
  for _, what in ipairs { "online CPU outside of it", "unknown PE", "latched offline" } do
    if found[what] then return what end
  end
  return nil
end

-- The masks are changed in memory, and the SGIs that are pending afterwards are cleared, as a debugger does.
local function try(m, case)
  for _, name in ipairs { "possible", "present", "online" } do
    local least = ({ possible = POSSIBLE, present = PRESENT, online = ONLINE })[name]
    m.linux:set_cpus(name, list(case.n, function(i) return case.state[i] >= least end))
  end
  local mask = list(case.n, function(i) return bit(case.mask, i) end)
  m:run(case.self, function(cpu) cpu:ipi_send_mask(SGI, mask) end)
  m:run()
  local pending = {}
  for i = 0, case.n - 1 do
    pending[i] = m.gicr[i].GICR_ISPENDR0:band(2 ^ SGI):eq(2 ^ SGI)
    m.gicr[i].GICR_ICPENDR0 = 2 ^ SGI
  end
  return pending
end

-- A machine whose PEs present no interrupt: it stays pending.
local function machine(cpus, variant)
  local m = hw.machine("virt", { cpus = cpus, jitter = false, linux = { sgi_broadcast = variant } })
  for i = 0, cpus - 1 do
    m:run(i, function(cpu) cpu:msr("ICC_IGRPEN1_EL1", 0) end)
  end
  return m
end

-- Calls f with every case: a state for each PE, of which at least one is online; a mask of PEs that the kernel knows;
-- a sender that is online.
local function each(n, f)
  local state = {}
  local function masks(self)
    for mask = 0, 2 ^ n - 1 do
      local known = true
      for i = 0, n - 1 do known = known and (state[i] >= POSSIBLE or not bit(mask, i)) end
      if known then f { n = n, state = state, mask = mask, self = self } end
    end
  end
  local function states(i)
    if i == n then
      for self = 0, n - 1 do
        if state[self] == ONLINE then masks(self) end
      end
      return
    end
    for s = UNKNOWN, ONLINE do
      state[i] = s
      states(i + 1)
    end
  end
  states(0)
end

local letters = { [UNKNOWN] = "-", [POSSIBLE] = "p", [PRESENT] = "P", [ONLINE] = "O" }
local totals, reachable, first, cases = {}, {}, {}, 0
for _, variant in ipairs(VARIANTS) do
  local count = { variant }
  local kinds = { "lost", "online CPU outside of it", "unknown PE", "latched offline" }
  for i in ipairs(kinds) do count[i + 1] = 0 end
  local bad, upstream = 0, 0
  cases = 0
  for n = 1, p.pes do
    local m = machine(n, variant)
    each(n, function(case)
      cases = cases + 1
      local wrong = verdict(case, try(m, case))
      if not wrong then return end
      bad = bad + 1
      for i, kind in ipairs(kinds) do
        if kind == wrong then count[i + 1] = count[i + 1] + 1 end
      end
      local who = caller(case)
      if who then
        upstream = upstream + 1
        local shape = ""
        for i = 0, n - 1 do shape = shape .. letters[case.state[i]] end
        local key = variant .. "\0" .. who .. "\0" .. wrong
        local row = first[key]
        if not row then
          row = { variant, who, wrong, shape, case.self, text(list(n, function(i) return bit(case.mask, i) end)), 0 }
          first[key], reachable[#reachable + 1] = row, row
        end
        row[7] = row[7] + 1
      end
    end)
    m:close()
  end
  count[#count + 1], count[#count + 2] = bad, upstream
  totals[#totals + 1] = count
end

bench.table {
  title = string.format("%d cases of up to %d PEs: what becomes pending where it should not", cases, p.pes),
  columns = { "variant", "lost", "online CPU outside", "unknown PE", "latched offline", "bad", "upstream" },
  rows = totals,
}
if #reachable > 0 then
  bench.table {
    title = "What upstream callers reach, the first of each kind (PEs: O online, P present, p possible, - unknown)",
    columns = { "variant", "caller", "wrong", "PEs", "sender", "mask", "cases" }, rows = reachable,
  }
end

-- What the test costs an interrupt to a single CPU, which every variant pays for.
local costs = {}
for _, cpus in ipairs { 4, 80, 512 } do
  local row = { cpus }
  for _, variant in ipairs(VARIANTS) do
    local m = hw.machine("virt", { cpus = cpus, jitter = false, linux = { sgi_broadcast = variant } })
    m:run(0, function(cpu) cpu:ipi_send_mask(SGI, { 1 }) end)
    local took = m:perf(0, function() m:run(0, function(cpu) cpu:ipi_send_mask(SGI, { 1 }) end) end)
    row[#row + 1] = string.format("%.1f ns", took.ps.gic_ipi_send_mask / 1000)
    m:close()
  end
  costs[#costs + 1] = row
end
bench.table {
  title = "gic_ipi_send_mask to a single CPU", columns = { "CPUs", "list", "v1", "review", "v2", "fixed" },
  rows = costs,
}

bench.note [[
fixed broadcasts if every redistributor that the firmware lists belongs to an online CPU, by one load of a counter, and
the mask is that of all online CPUs with the sender or without, word for word; a single target is found out at the
first word. So it reaches what the mask says and nothing else, as far as the list goes. A PE that is wired to the
interrupt controller and has no redistributor in the list is hit by every IRM, and no test of masks can see it.]]
