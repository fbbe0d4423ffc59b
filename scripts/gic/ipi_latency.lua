--! args -p iters=4 -p runs=4 -p sample=4
-- A cheaper barrier before the SGI: smp_call_function_single from one CPU to each of 96, wmb() against dsb(ishst).
--
-- The loop is the benchmark module of commit 80e4e1f47288 (irqchip/gic-v3: Use dsb(ishst) to order writes with
-- ICC_SGI1R_EL1 accesses): stores to cache lines of its own, then a call to each CPU in turn, the own one included.
-- What it published is one difference. Why a barrier of the full system should cost more than one of the
-- inner-shareable domain, no document says: five hypotheses say something, and the rows are asked which they exclude.
local hw, bench = require "hw", require "bench"

local p = bench.params {
  machine = { "kunpeng920", choices = hw.presets(), doc = "preset" },
  cpus = { 0, doc = "CPUs of the machine, 0 for the preset's number", min = 0, max = 4096 },
  from = { 0, doc = "CPU that calls", min = 0 },
  iters = { 20, doc = "rounds over all CPUs, behind one that fills the caches; results are for 1000", min = 1 },
  stores = { 7, doc = "cache lines written before each call", min = 0, max = 1024 },
  runs = { 10, doc = "runs of each case", min = 1 },
  sample = { 16, doc = "points over what nobody knows, at which each hypothesis is simulated", min = 1, max = 10000 },
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

-- calls makes rounds of calls, in ps, behind some that are not counted: the caches fill. data are lines, or false.
local function calls(m, from, data, before, rounds, targets, callee)
  return m:run(from, function(cpu)
    local start = 0
    for round = 1, before + rounds do
      if round == before + 1 then start = cpu:now() end
      for i = 1, #targets do
        if data then cpu:write_all(data, targets[i]) end
        cpu:smp_call_function_single(targets[i], callee and function(c) callee(c, data) end, true)
      end
    end
    return cpu:now() - start
  end)
end

local function all(n)
  local targets = {}
  for target = 0, n - 1 do targets[#targets + 1] = target end
  return targets
end

local function lines(m, n) return n > 0 and m:lines(n) end

-- ns for 1000 rounds, as the module prints them.
local function ipi_latency(m)
  return math.floor(calls(m, p.from, lines(m, p.stores), 1, p.iters, all(m.ncpus)) / p.iters + 0.5)
end

-- The published figures are those of the module as it was run: 7 stores, from CPU 0 of the whole machine.
local published = {}
local as_published = p.machine == "kunpeng920" and p.cpus == 0 and p.from == 0 and p.stores == 7
if as_published then
  for barrier, row in pairs(rows_of) do published[label(barrier)] = bench.published("000", row) end
end

-- Experiments: by how much the second barrier makes a remote call shorter than the first, in ps. Ten runs of each have
-- told the published difference to 5 ns a call; what is nearer is not told apart.
local experiments = {
  ["to CPUs of the cluster"] = { targets = { 1, 2, 3 } },
  ["to CPUs of the die"] = { targets = { 4, 5, 6, 7 } },
  ["to CPUs of the other die"] = { targets = { 24, 25, 26, 27 } },
  ["to CPUs of the other socket"] = { targets = { 48, 49, 50, 51 } },
  ["stores to lines that the callees read"] = {
    targets = { 1, 4, 24, 48 },
    callee = function(c, data) for i = 0, 6 do c:load(data:addr(i)) end end,
  },
  ["dsb(ish)"] = { barriers = { "dsb_st", "dsb_ish" } },
  ["dsb(sy)"] = { barriers = { "dsb_st", "dsb_sy" } },
  ["dmb(ish), which does not order the SGI"] = { barriers = { "dsb_st", "dmb_ish" } },
}
local order = {
  "to CPUs of the cluster", "to CPUs of the die", "to CPUs of the other die", "to CPUs of the other socket",
  "stores to lines that the callees read", "dsb(ish)", "dsb(sy)", "dmb(ish), which does not order the SGI",
}
local function experiment(name, e)
  experiments[name] = e
  order[#order + 1] = name
end
local stores_of = { 0, 1, 2, 4, 14 }
for _, n in ipairs(stores_of) do experiment(n == 1 and "1 store" or n .. " stores", { stores = n }) end
for _, cpu in ipairs { 24, 48, 72 } do experiment("from CPU " .. cpu, { from = cpu }) end
for node = 1, 2 do experiment("stacks on node " .. node, { changes = { linux = { stack_node = node } } }) end

local study_name = "what a full-system barrier waits for"

local function study()
  local spec = hw.machine(p.machine, { boot = false }).spec
  local constants = {
    -- Those that are fitted, over the whole of what could be.
    sgi_transport = { 0, 375, 2000, "fitted" }, outer_ack = { 0, 36, 2000, "assumed" },
    outer_flush = { 0, 4, 500, "assumed" },
    -- Numbers that are no times.
    outer_window = { 2, 8, 24, "assumed" }, store_buffer = { 12, 24, 48, "assumed" },
  }
  for i = 1, #spec.latencies do
    local l = spec.latencies[i]
    if not constants[l.name] and l.low_ps < l.high_ps then
      constants[l.name] = { l.low_ps / 1000, l.typical_ps / 1000, l.high_ps / 1000, l.origin }
    end
  end
  for i = 1, #spec.costs do
    local c = spec.costs[i]
    constants["linux.costs." .. c.name] = { c.low, c.typical, c.high, c.origin }
  end
  local rows = {}
  for _, barrier in ipairs { "dsb_st", "dsb_ishst" } do
    rows[#rows + 1] = { label(barrier), published = published[label(barrier)] }
    experiments[label(barrier)] = { row = barrier }
  end
  for _, name in ipairs(order) do
    rows[#rows + 1] = { name, unit = "ps", resolution = 5000, changes = experiments[name].changes }
  end
  local own = { outer_ack = label "dsb_ishst" }
  return bench.hypotheses {
    name = study_name, unit = "ns", sample = p.sample, rows = rows, constants = constants,
    fit = { sgi_transport = label "dsb_st" }, reuse = true,
    hypotheses = {
      { "none" },
      { "serial", changes = { outer_model = "serial" }, fit = own },
      { "pipelined", changes = { outer_model = "pipelined" }, fit = own },
      { "moved", changes = { outer_model = "moved" }, fit = own },
      { "flush", changes = { outer_model = "flush" }, fit = { outer_flush = label "dsb_ishst" } },
    },
    make = function(changes)
      changes.jitter = false
      return new_machine("dsb_st", changes)
    end,
    measure = function(m, row)
      local e = experiments[row]
      local targets, data = e.targets or all(m.ncpus), lines(m, e.stores or 7)
      local function round(barrier, before)
        m.linux.ipi_barrier = barrier
        return calls(m, e.from or 0, data, before, 1, targets, e.callee)
      end
      if e.row then return round(e.row, 1) end
      local barriers = e.barriers or { "dsb_st", "dsb_ishst" }
      local gain = round(barriers[1], 1) - round(barriers[2], 0)
      assert(gain >= 0 or e.barriers, "a barrier that asks for less takes longer")
      return math.floor(gain / (e.targets and #targets or #targets - 1) + 0.5)
    end,
  }
end

local evidence = as_published and study()

local comparison = {
  name = "ipi_latency", unit = "ns", runs = p.runs, body = ipi_latency, published = as_published and {} or nil,
  judged = as_published and { study = study_name, hypothesis = "none" } or nil,
}
for i, barrier in ipairs(p.barriers) do
  comparison[i] = { label(barrier), function() return new_machine(barrier) end }
  if as_published then comparison.published[label(barrier)] = published[label(barrier)] end
end
local compared = bench.compare(comparison)

local function sd_percent(values)
  local sum, squares = 0, 0
  for _, v in ipairs(values) do sum = sum + v end
  local mean = sum / #values
  for _, v in ipairs(values) do squares = squares + (v - mean) ^ 2 end
  return string.format("%.3f %%", math.sqrt(squares / (#values - 1)) / mean * 100)
end

if as_published and p.runs > 1 then
  local rows = {}
  for _, case in ipairs(compared.cases) do
    local figure = published[case.label]
    rows[#rows + 1] = { case.label, figure and sd_percent(figure.values) or "-", sd_percent(case.values) }
  end
  bench.table {
    title = "Spread of runs, standard deviation: the simulated one, and so p, is that of lines and wires alone",
    columns = { "case", "published", "simulated" }, rows = rows,
  }
end

local function in_ns(ps) return string.format("%.2f", ps / 1000) end

local function from_to(low, high) return in_ns(low) .. " to " .. in_ns(high) end

-- What the difference of the two rows asks of each hypothesis, beside what is plausible.
local function demands(fits)
  local spec, plausible, rows = hw.machine(p.machine, { boot = false }).spec, {}, {}
  for i = 1, #spec.latencies do plausible[spec.latencies[i].name] = spec.latencies[i] end
  for i, f in ipairs(fits) do
    local range = plausible[f.constant]
    rows[i] = {
      f.hypothesis, f.constant, in_ns(f.value), from_to(f.low, f.high), from_to(range.low_ps, range.high_ps),
      f.value < range.low_ps and "below" or f.value > range.high_ps and "above" or "within",
    }
  end
  bench.table {
    title = "What the difference asks of each hypothesis, in ns",
    columns = { "hypothesis", "constant", "fitted", "over the sample", "plausible", "fitted lies" }, rows = rows,
  }
end

-- How much of that is due to each number that is merely assumed.
local function sensitivity(fits)
  local cells, names, columns = {}, {}, { "assumed number" }
  for i, f in ipairs(fits) do
    columns[i + 1] = f.hypothesis
    for _, move in ipairs(f.moves or {}) do
      if not cells[move.constant] then
        cells[move.constant] = {}
        names[#names + 1] = move.constant
      end
      local text = from_to(move.at_low, move.at_high)
      if move.unfit then
        cells[move.constant][i] = "no fit at an end"
      elseif text ~= from_to(f.value, f.value) then
        cells[move.constant][i] = text
      end
    end
  end
  table.sort(names)
  local rows = {}
  for _, name in ipairs(names) do
    local row = { name }
    for i = 1, #fits do row[i + 1] = cells[name][i] or "-" end
    if next(cells[name]) then rows[#rows + 1] = row end
  end
  bench.table {
    title = "Sensitivity: the fitted constant in ns, an assumed number at its low to its high end, all fitted anew",
    columns = columns, rows = rows,
  }
  bench.note("No other assumed number moves any of them by 0.01 ns.")
end

-- What follows, in words.
local function conclude()
  local left, excluded, predicted = {}, {}, 0
  for _, h in ipairs(evidence.hypotheses) do
    local into = h.verdict == "excluded" and excluded or left
    into[#into + 1] = h.name
    for _, row in ipairs(h.rows) do
      if row.role == "predicted" then predicted = predicted + 1 end
    end
  end
  local lines = {
    #excluded > 0 and "The published rows exclude: " .. table.concat(excluded, ", ") .. "."
      or "The published rows exclude no hypothesis.",
  }
  if #left > 1 then lines[#lines + 1] = "They cannot tell apart: " .. table.concat(left, ", ") .. "." end
  if predicted == 0 then
    lines[#lines + 1] = "Neither row is predicted: wmb() has fitted the transport, and dsb(ishst) the constant of each"
    lines[#lines + 1] = "hypothesis that has one. What these say elsewhere, that constant and assumptions decide alone."
  end
  bench.note(table.concat(lines, "\n"))
end

-- Pictures of what the hypotheses say that are left.
local function draw()
  local said, left = {}, {}
  for _, e in ipairs(evidence.experiments) do
    said[e.name] = {}
    for i, v in ipairs(e.values) do
      said[e.name][v.hypothesis], left[i] = v, v.hypothesis
    end
  end
  local first, second = label "dsb_st", label "dsb_ishst"
  local remote = 95 * 1000 -- calls in a row
  local shown = {
    { "to cluster", "to CPUs of the cluster" }, { "to die", "to CPUs of the die" },
    { "to next die", "to CPUs of the other die" }, { "to socket 1", "to CPUs of the other socket" },
    { "far stacks", "stacks on node 2" }, { "0 stores", "0 stores" }, { "14 stores", "14 stores" },
  }
  local lines, bars, texts = {}, {}, {}
  for i, s in ipairs(shown) do texts[i] = s[1] end
  for _, name in ipairs(left) do
    local row = evidence.hypothesis[name].row
    local values = { [7] = (row[first].simulated - row[second].simulated) / remote }
    for _, n in ipairs(stores_of) do values[n] = said[n == 1 and "1 store" or n .. " stores"][name].simulated / 1000 end
    local line = { name, at = { 0, 1, 2, 4, 7, 14 }, values = {} }
    for i, n in ipairs(line.at) do line.values[i] = values[n] end
    local bar = { name, values = {}, low = {}, high = {} }
    for i, s in ipairs(shown) do
      local v = said[s[2]][name]
      bar.values[i], bar.low[i], bar.high[i] = v.simulated / 1000, v.low / 1000, v.high / 1000
    end
    lines[#lines + 1], bars[#bars + 1] = line, bar
  end
  if evidence.hypothesis.none.verdict == "excluded" then
    lines[#lines + 1] = { "none (excluded)", at = { 0, 14 }, values = { 0, 0 } }
  end
  local mean, delta = evidence.hypothesis.none.row[first].mean, compared.case[second]
  if delta and delta.published_delta_low then
    local function saved(percent) return -percent / 100 * mean / remote end
    lines[#lines + 1] = {
      "published, 95 %", at = { 7 }, values = { saved(delta.published_delta_percent) },
      low = { saved(delta.published_delta_high) }, high = { saved(delta.published_delta_low) },
    }
  end
  bench.chart {
    title = "One published figure, and who explains it", kind = "lines", x = "cache lines written before each call",
    y = "dsb(ishst) saves a call (ns)", series = lines,
  }
  bench.chart {
    title = "What to measure: where they differ", kind = "intervals", labels = texts, series = bars,
    x = "change to the benchmark; 5 to 95 % of the sample", y = "dsb(ishst) saves a call (ns)",
  }
end

if evidence then
  local fits = {} -- on the second row
  for _, h in ipairs(evidence.hypotheses) do
    for _, f in ipairs(h.fitted) do
      if f.row == label "dsb_ishst" then
        f.hypothesis = h.name
        fits[#fits + 1] = f
      end
    end
  end
  demands(fits)
  sensitivity(fits)
  conclude()
  draw()
end

-- Where the time of one remote call goes, on the average over one round.
local m = new_machine(p.barriers[1])
local data = lines(m, p.stores)
local function round() calls(m, p.from, data, 0, 1, all(m.ncpus)) end
round() -- the caches fill
local profile = m:profile(round)
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
