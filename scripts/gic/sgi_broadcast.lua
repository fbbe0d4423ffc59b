--! args -p pages=1 -p sample=1 -p vary=tlbi
-- SGI broadcast: 600 pages of 1 GiB are demoted on 80 CPUs, with break-before-make while an SGI pauses all others.
--
-- The series "mm/arm64: re-enable HVO" (RFC August, v1 October, v2 November 2024) pauses all remote CPUs 520 times for
-- a page of 1 GiB: 8 times for a PTE table of 511 or 512 entries, 512 times for 8 entries. Patch 3 makes
-- gic_ipi_send_mask write ICC_SGI1R_EL1 once, in place of once for each target. How much of the published times follows
-- from a model?
local hw, bench = require "hw", require "bench"

-- Constants that nobody has published for this machine, or only for another, by their names in its spec.
local names = {
  "dsb", "exception_entry", "handoff_die", "home_service", "sgi1r_issue", "sgi_transport", "sysreg_read",
  "sysreg_write", "tlbi", "tlbi_issue",
}

local p = bench.params {
  pages = { 6, doc = "pages of 1 GiB that are simulated; the times are scaled to 600", min = 1, max = 600 },
  per_aff0 = { 1, doc = "CPUs that one write of ICC_SGI1R_EL1 reaches: 1, 4 or 16", min = 1, max = 16 },
  vary = { names, choices = names, doc = "constants that are varied over their ranges; the others stay typical" },
  sample = { 16, doc = "points of the sample over the ranges of the constants", min = 1 },
}

local PAGES, LARGE, SMALL = 600, 8, 512        -- published; pauses of a page by size
local PAUSES, FREED = PAGES * (LARGE + SMALL), 307200 -- freeing 2 MiB pages: a pause of 7 entries each

-- The variants: how the pause is made, and how its SGI is sent.
local configs = {
  list = { pause = "v1", sgi_broadcast = "list" },
  v1 = { pause = "v1", sgi_broadcast = "v1" },
  v2 = { pause = "v2", sgi_broadcast = "v2" },
}

local function new_machine(config, changes)
  changes = changes or {}
  changes.jitter, changes.per_aff0 = false, p.per_aff0
  changes.linux = changes.linux or {}
  for name, value in pairs(configs[config]) do changes.linux[name] = value end
  return hw.machine("arm80", changes)
end

-- Makes `count` entries anew, `times` times. Returns how long that takes, in ps.
local function update(m, table, count, times)
  return m:run(0, function(cpu)
    local start = cpu:now()
    cpu:local_irq_disable()
    for _ = 1, times do cpu:update_ptes(table, count) end
    cpu:local_irq_enable()
    return cpu:now() - start
  end)
end

-- The same, watched. Returns the time of a pause, and that in gic_ipi_send_mask, in ps.
local function pauses(m, table, count, times)
  local profile = m:perf(0, function() update(m, table, count, times) end)
  return profile.total / times, profile.ps.gic_ipi_send_mask / times, profile
end

-- One pause of each size after a first one, in us: all are alike without jitter.
local function pause_of(m)
  local table = m:lines(64):addr(0)
  pauses(m, table, 8, 2)
  local small, send = pauses(m, table, 8, 2)
  local seven = pauses(m, table, 7, 2)
  local large = pauses(m, table, 512, 1)
  return { small = small / 1e6, seven = seven / 1e6, large = large / 1e6, send = send / 1e6 }
end

local function demote(one) return PAGES * (SMALL * one.small + LARGE * one.large) end

-- What was published, in us of system time.
local v1_mail = "Yu Zhao, v1, October 2024"
local v2_mail = "Yu Zhao, \"mm/arm64: re-enable HVO\", v2, November 2024"
local function published(row, us, source)
  return { row, unit = "us", published = { values = { us }, source = source, unit = "us" } }
end
local function seed(case, quantity) return bench.published("002", case, quantity).values[1] end
local TIME, SHARE = "demote 600 x 1 GiB pages, system time", "demote 600 x 1 GiB pages, share of gic_ipi_send_mask"
local before, after = seed("before", TIME) * 1e6, seed("after", TIME) * 1e6
local share_before, share_after = seed("before", SHARE) / 100, seed("after", SHARE) / 100
local no_bbm, no_bbm_free = 1.575e6, 0.946e6
local send_before = math.floor(before * share_before + 0.5)
local source = bench.published("002", "before", TIME).source

local rows = {
  published("no break-before-make", no_bbm, v2_mail),
  published("no break-before-make, freeing", no_bbm_free, v2_mail),
  published("gic_ipi_send_mask, list", send_before, source),
  published("the rest of before", before - no_bbm - send_before, source),
  {
    "share of gic_ipi_send_mask, v1", unit = "ppm",
    published = { values = { share_after * 1e6 }, source = source, unit = "ppm" },
  },
  published("v1", after, source),
  published("v2", 3.640e6, v2_mail),
  published("v1, freeing", 4.456e6, v1_mail),
  published("v2, freeing", 2.921e6, v2_mail),
}

local function round(x) return math.floor(x + 0.5) end

local measures = {
  ["no break-before-make"] = function(given) return given.demote end,
  ["no break-before-make, freeing"] = function(given) return given.free end,
  ["gic_ipi_send_mask, list"] = function(_, one) return PAUSES * one.send end,
  ["the rest of before"] = function(_, one) return demote(one) - PAUSES * one.send end,
  ["share of gic_ipi_send_mask, v1"] = function(given, one)
    return PAUSES * one.send / (given.demote + demote(one)) * 1e6
  end,
  ["v1"] = function(given, one) return given.demote + demote(one) end,
  ["v2"] = function(given, one) return given.demote + demote(one) end,
  ["v1, freeing"] = function(given, one) return given.free + FREED * one.seven end,
  ["v2, freeing"] = function(given, one) return given.free + FREED * one.seven end,
}
local config_of = {
  ["gic_ipi_send_mask, list"] = "list", ["the rest of before"] = "list",
  ["share of gic_ipi_send_mask, v1"] = "v1", ["v1"] = "v1", ["v1, freeing"] = "v1", ["v2"] = "v2",
  ["v2, freeing"] = "v2",
}

local constants = {
  ["given.demote"] = { no_bbm, no_bbm, no_bbm, "given", "no break-before-make" },
  ["given.free"] = { no_bbm_free, no_bbm_free, no_bbm_free, "given", "no break-before-make, freeing" },
  sgi1r_accept = { 0, 160, 4000, "assumed" },
}
local varied, spec = {}, hw.machine("arm80", { boot = false }).spec
for _, name in ipairs(p.vary) do varied[name] = true end
for i = 1, #spec.latencies do
  local l = spec.latencies[i]
  if varied[l.name] then constants[l.name] = { l.low_ps / 1000, l.typical_ps / 1000, l.high_ps / 1000, l.origin } end
end

local study = bench.hypotheses {
  name = "sgi_broadcast", unit = "us", sample = p.sample, rows = rows,
  constants = constants,
  fit = { sgi1r_accept = "gic_ipi_send_mask, list" },
  hypotheses = {
    { "flag and counter, or both masks, on one line", changes = { linux = { pause_one_line = true } } },
    { "on two lines", changes = { linux = { pause_one_line = false } } },
  },
  make = function(changes, row)
    local given = changes.given
    changes.given = nil
    return { given = given, machine = config_of[row] and new_machine(config_of[row], changes) }
  end,
  measure = function(made, row)
    local one = made.machine and pause_of(made.machine)
    if made.machine then made.machine:close() end
    return round(measures[row](made.given, one))
  end,
}

-- The pages themselves, at typical values.
local typical = study.hypothesis["on two lines"]
local accept = typical.fitted[1].value / 1000
local simulated, profiles = {}, {}
for _, config in ipairs { "list", "v1", "v2" } do
  local m = new_machine(config, { latency = { sgi1r_accept = accept } })
  local table = m:lines(64):addr(0)
  pauses(m, table, 8, 2)
  -- The first page says where the time goes. Without jitter the others are like it: they check the scaling.
  local small, in_small, profile = pauses(m, table, 8, SMALL)
  local large, in_large = pauses(m, table, 512, LARGE)
  local whole = SMALL * small + LARGE * large
  for _ = 2, p.pages do whole = whole + update(m, table, 8, SMALL) + update(m, table, 512, LARGE) end
  simulated[config] = { ps = whole * PAGES / p.pages, send = (SMALL * in_small + LARGE * in_large) * PAGES }
  profiles[config] = profile
  m:close()
end

local function seconds(ps) return string.format("%.3f s", ps / 1e12) end
local function per_pause(ps) return string.format("%.2f us", ps / 1e6 / PAUSES) end
local list, v1, v2 = simulated.list, simulated.v1, simulated.v2
bench.table {
  title = string.format("%d of %d pages simulated, and scaled; sgi1r_accept %.3f ns", p.pages, PAGES, accept),
  columns = { "", "published", "simulated", "a pause, published", "simulated", "unexplained" },
  rows = (function()
    local t = {}
    local function row(name, given, published_us, ps)
      local published_ps = (published_us - given) * 1e6
      t[#t + 1] = {
        name, seconds(published_us * 1e6), seconds(given * 1e6 + ps), per_pause(published_ps), per_pause(ps),
        (per_pause(published_ps - ps)),
      }
    end
    row("before", no_bbm, before, list.ps)
    row("v1, broadcast", no_bbm, after, v1.ps)
    row("v2, broadcast", no_bbm, 3.640e6, v2.ps)
    row("what v1 saves", 0, before - after, list.ps - v1.ps)
    row("... in gic_ipi_send_mask", 0, before * share_before - after * share_after, list.send - v1.send)
    return t
  end)(),
}

-- Where the sender's time goes.
for _, config in ipairs { "list", "v1" } do
  local t = {}
  for _, f in ipairs(profiles[config].functions) do
    t[#t + 1] = { f.path, string.format("%.3f us", f.self / 1e6 / SMALL), string.format("%.2f %%", f.self /
      profiles[config].total * 100) }
  end
  bench.table { title = "Functions of the sending task, a pause of 8 entries: " .. config,
    columns = { "function", "self", "share" }, rows = t }
end
