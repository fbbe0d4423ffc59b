--! args -p pes=3 -p explore=v2 -p pauses=v2 -p show=first
-- Which mask may gic_ipi_send_mask take for "all others"? Enumerated: every state of up to 4 PEs, every mask and every
-- sender, for each variant: what is interrupted that should not be, and what is not that should. Explored: what that
-- does to the pause of remote CPUs, in each form in which it was posted, while CPUs come and go.
--
-- A PE is wired to the interrupt controller in any case. The kernel may not know it (nr_cpus=, another partition,
-- another owner), know it as possible, as present, or run on it. IRM, the one write for all others, reaches every PE
-- that is wired but the sender.
local hw, explore, bench, u64 = require "hw", require "explore", require "bench", require "u64"

local VARIANTS = { "list", "v1", "review", "v2", "fixed" }
local PAUSES = { "v1", "v2", "rfc" }
local p = bench.params {
  pes = { 4, doc = "PEs at most, enumerated", min = 0, max = 4 },
  explore = { VARIANTS, choices = VARIANTS, doc = "variants to explore" },
  pauses = { PAUSES, choices = PAUSES, doc = "forms of the pause to explore" },
  large = { false, doc = "explore also what takes minutes, which the table calls large" },
  executions = { 100000, doc = "most executions of an exploration", min = 1 },
  show = {
    "kinds", choices = { "none", "first", "kinds", "all" },
    doc = "counterexamples: the first one, the first of each form and finding, or all",
  },
}

local SGI = 1

-- States of a PE, each with all of the ones before it.
local UNKNOWN, POSSIBLE, PRESENT, ONLINE = 0, 1, 2, 3

local function has(mask, cpu) return math.floor(mask / 2 ^ cpu) % 2 == 1 end

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
    local is_online, is_in = case.state[i] == ONLINE, has(case.mask, i)
    if is_online then online = online + 1 end
    if is_in and not is_online then inside = false end
    if is_in ~= (is_online and i ~= case.self) then others_only = false end
  end
  if inside and case.mask == 2 ^ case.self then return "irq_work to the CPU itself" end
  if case.mask == 0 then return others_only and "a pause by v1 with nobody else" or nil end
  if others_only then return "stop, pause, on_each_cpu" end
  if inside and not has(case.mask, case.self) then return "calls of some CPUs" end
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
    local is_in = has(case.mask, i)
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
  local mask = list(case.n, function(i) return has(case.mask, i) end)
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
      for i = 0, n - 1 do known = known and (state[i] >= POSSIBLE or not has(mask, i)) end
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
          row = { variant, who, wrong, shape, case.self, text(list(n, function(i) return has(case.mask, i) end)), 0 }
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

-- What is explored: protocols that are reduced to the accesses in which the kernel's functions meet, in the kernel's
-- order; gic_ipi_send_mask and set_cpu_online are its own. CPU 0 pauses the others by an NMI, makes an entry of their
-- page table anew, and lets them go on.
local NMI = 3 -- IPI_CPU_STOP_NMI
local VALID = 1

-- Interrupts all others that are online, and answers them.
local function send_others(cpu, w)
  local online = cpu:load(w.online):tonumber()
  local others = list(w.cpus, function(i) return has(online, i) and i ~= cpu:id() end)
  local mask = online - 2 ^ cpu:id()
  if w.mask then cpu:store(w.mask, mask) end
  cpu:ipi_send_mask(NMI, others)
  return mask
end

-- A lock that is taken in the order of asking, as the kernel's queued spinlock is.
local function lock(cpu, at)
  local ticket = cpu:fetch_add(at.next, 1)
  cpu:wait(at.owner, ticket)
  return ticket
end

local function unlock(cpu, at, ticket) cpu:store(at.owner, ticket + 1, "release") end

-- v1 has two masks; the RFC, too, and waits by WFE.
local function two_masks(wfe)
  return {
    pause = function(cpu, w)
      cpu:wait(w.paused, send_others(cpu, w))
      cpu:dmb "ishld"
    end,
    resume = function(cpu, w)
      cpu:store(w.resumed, 2 ^ w.cpus - 1)
      cpu:dmb "ish"
      if wfe then cpu:dsb "ishst"; cpu:sev() end
      cpu:wait(w.paused, 0)
    end,
    remote = function(cpu, w)
      local id = cpu:id()
      cpu:fetch_clear(w.resumed, 2 ^ id)
      cpu:dmb "ishst"
      cpu:fetch_set(w.paused, 2 ^ id)
      if wfe then
        while cpu:load(w.resumed):bits(id, id):eq(0) do cpu:wfe() end
      else
        cpu:wait(w.resumed, function(v) return v:bits(id, id):eq(1) end)
      end
      cpu:dmb "ish"
      cpu:fetch_clear(w.paused, 2 ^ id)
    end,
  }
end

-- v2 has a flag and a counter. Nobody is to be paused where the others' number, read before the lock is taken, is 0.
local flag_and_counter = {
  before = function(cpu, w)
    local online = cpu:load(w.count, nil, 4):tonumber()
    return online > 1 and online
  end,
  pause = function(cpu, w, online)
    cpu:store(w.flag, 1)
    send_others(cpu, w)
    cpu:wait(w.nr, online - 1)
  end,
  resume = function(cpu, w)
    cpu:store(w.flag, 0)
    cpu:wait(w.nr, 0)
  end,
  remote = function(cpu, w)
    cpu:fetch_add(w.nr, 1)
    cpu:wait(w.flag, 0)
    cpu:fetch_add(w.nr, u64.max)
    cpu:isb()
  end,
}

local forms = { v1 = two_masks(false), v2 = flag_and_counter, rfc = two_masks(true) }

-- A pause with what it is for. As posted the lock is released in its middle; held keeps it.
local function update_pte(cpu, w, held)
  local f = forms[w.form]
  local online = not f.before or f.before(cpu, w)
  local ticket
  if online then
    ticket = lock(cpu, w.lock)
    f.pause(cpu, w, online)
    if not held then unlock(cpu, w.lock, ticket) end
  end
  cpu:store(w.pte, 0)
  cpu:dsb "ish" -- and of a TLBI before it
  cpu:isb()
  cpu:store(w.pte, VALID)
  cpu:dsb "ishst"
  if online then
    if not held then ticket = lock(cpu, w.lock) end
    f.resume(cpu, w)
    unlock(cpu, w.lock, ticket)
  end
end

-- What the pause protects: nobody uses the entry while it is broken. The wait is for any value, a load-acquire: the DSB
-- behind a TLBI stands until what has used the old entry is done.
local function use(cpu, w)
  w.m:assert(cpu:wait(w.pte, function() return true end):eq(VALID),
    "CPU " .. cpu:id() .. " uses the entry while it is broken")
end

local function two_pauses(held)
  return function(cpu, w)
    update_pte(cpu, w, held)
    use(cpu, w)
  end
end

-- The CPU that comes up: ipi_setup, set_cpu_online, interrupts on, then it does what others do.
local function come_up(cpu, w)
  cpu:mask_irq(true)
  cpu:wait(w.boot, 1)
  cpu:store(w.isenabler, 2 ^ NMI, nil, 4)
  cpu:set_cpu_online(true)
  cpu:mask_irq(false)
  use(cpu, w)
  cpu:store(w.done, 1, "release")
end

-- cpu_up, behind cpus_write_lock.
local function cpu_up(cpu, w)
  cpu:store(w.boot, 1, "release")
  cpu:wait(w.done, 1)
end

local function locked(cpu, at, f)
  local ticket = lock(cpu, at)
  f()
  unlock(cpu, at, ticket)
end

-- A call is for the CPUs of its mask: any other that it interrupts says so.
local function called(cpu, w)
  w.m:assert(has(cpu:wait(w.mask, function() return true end):tonumber(), cpu:id()),
    "CPU " .. cpu:id() .. " is interrupted by a call that is not for it")
end

-- The cases: how many CPUs, which of them are online, and what each does.
local cases = {
  {
    "an offline CPU, up later", cpus = 3, online = 3,
    function(cpu, w)
      update_pte(cpu, w)
      cpu_up(cpu, w)
    end, use, come_up,
  },
  {
    "beside cpu_up", cpus = 3, online = 3, large = "rfc",
    function(cpu, w) locked(cpu, w.hotplug, function() update_pte(cpu, w) end) end,
    function(cpu, w)
      locked(cpu, w.hotplug, function() cpu_up(cpu, w) end)
      use(cpu, w)
    end, come_up,
  },
  {
    "cpu_up, no hotplug lock", cpus = 2, online = 1,
    function(cpu, w)
      cpu:store(w.boot, 1, "release")
      update_pte(cpu, w)
    end, come_up,
  },
  {
    "two pauses", cpus = 2, online = 3, large = "rfc",
    two_pauses(false), two_pauses(false),
  },
  {
    "two pauses, lock held", cpus = 2, online = 3, large = "rfc",
    two_pauses(true), two_pauses(true),
  },
  {
    "PSTATE.I for a while", cpus = 2, online = 3,
    function(cpu, w) update_pte(cpu, w) end,
    function(cpu, w)
      cpu:mask_irq(true)
      use(cpu, w)
      cpu:mask_irq(false)
    end,
  },
  {
    "a CPU stops for good", cpus = 2, online = 3, large = "rfc",
    function(cpu, w) update_pte(cpu, w) end,
    function(cpu, w) -- local_cpu_stop
      cpu:set_cpu_online(false)
      cpu:msr("ICC_IGRPEN1_EL1", 0)
    end,
  },
  {
    "call as a CPU comes", cpus = 3, online = 3, call = true,
    send_others, function() end, function(cpu) cpu:set_cpu_online(true) end,
  },
  {
    "call as a CPU goes", cpus = 3, online = 7, call = true,
    send_others, function() end, function(cpu) cpu:set_cpu_online(false) end,
  },
}

-- A machine with the words that the protocols share.
local function words_of(case, form, variant)
  local m = hw.machine("virt", { cpus = case.cpus, linux = { sgi_broadcast = variant } })
  local w = { form = form, cpus = case.cpus }
  w.online, w.count = m.linux:address "online", m.linux:address "num_online_cpus"
  local function word(name) return m:lines(1, name):addr(0) end
  for _, name in ipairs { "paused", "resumed", "flag", "nr", "pte", "boot", "done" } do w[name] = word(name) end
  for _, name in ipairs { "lock", "hotplug" } do
    w[name] = { next = word(name .. ".next"), owner = word(name .. ".owner") }
  end
  w.mask = case.call and word "mask"
  m.linux:set_cpus("online", list(case.cpus, function(i) return has(case.online, i) end))
  m:run(0, function(cpu) cpu:store(w.pte, VALID) end)
  local last = m.gicr[case.cpus - 1]
  if case[case.cpus + 1] == come_up then
    last.GICR_ICENABLER0 = 2 ^ NMI -- ipi_teardown
    w.isenabler = last.base + 0x10100
  end
  m:run()
  return m, w
end

local function explored(case, form, variant)
  local m, w = words_of(case, form, variant)
  return explore.run {
    name = table.concat({ case[1], form, variant }, ", "), machine = m, max_executions = p.executions,
    program = function(m)
      w.m = m
      local remote = form == "call" and called or forms[form].remote
      for i = 0, m.ncpus - 1 do
        m:cpu(i):on_irq(function(cpu)
          local intid = cpu:mrs "ICC_IAR1_EL1"
          cpu:dsb "sy"
          if intid:eq(NMI) then remote(cpu, w) end
          cpu:msr("ICC_EOIR1_EL1", intid)
          cpu:msr("ICC_DIR_EL1", intid)
        end)
        m:spawn(i, function(cpu) case[i + 2](cpu, w) end)
      end
    end,
  }
end

-- A verdict in a few words.
local function short(r)
  local f = r.finding
  if not f then return (r.verified and "verified: " or "not exhaustive: ") .. r.executions end
  return f:match "^deadlock" and "never ends" or f:match "broken" and "used while broken" or "hits another"
end

local rows, shown = {}, {}

-- Explores a case in one form of the pause, with each variant.
local function explore_row(case, form)
  local row = { case[1], form }
  for i, variant in ipairs(p.explore) do
    local r = not (case.large == form and not p.large) and explored(case, form, variant)
    row[i + 2] = r and short(r) or "large"
    if r and r.finding then
      local kind = table.concat({ case[1], form, row[i + 2] }, ", ")
      if p.show == "all" or p.show == "kinds" and not shown[kind] or p.show == "first" and #shown == 0 then
        shown[kind], shown[#shown + 1] = true, r
      end
    end
  end
  rows[#rows + 1] = row
end

for _, case in ipairs(cases) do
  for _, form in ipairs(case.call and { "call" } or p.pauses) do explore_row(case, form) end
end
bench.table {
  title = "Explored: executions of reduced protocols on 2 or 3 CPUs, all of them if verified (model arm); large: with "
    .. "-p large=true only",
  columns = { "case", "pause", unpack(p.explore) }, rows = rows,
}
for _, r in ipairs(shown) do
  bench.table(r.counterexample)
  print("replay with --replay " .. r.token .. "\n")
end

bench.note [[
fixed broadcasts if the mask, with the sender, has as many CPUs as the firmware lists redistributors. It looks at
nothing that changes while CPUs come and go, so that it reaches what the mask says and nothing else, as far as the list
goes. A PE that is wired to the interrupt controller and has no redistributor in the list is hit by every IRM, and no
test of masks can see it.]]
