-- A device written in Lua, with a level-triggered interrupt: a mailbox between two CPUs.
--
-- A device is a page of addresses and two functions. A CPU's load from the page calls read(offset, size), and what that
-- returns is the value; a store calls write(offset, value, size) when it arrives. The functions take no simulated time
-- and must not wait: a device changes its state, drives its interrupt line, and answers.
--
--   offset  register
--   0x0     DATA    a write puts a message in, a read takes the oldest out
--   0x4     COUNT   messages inside, read-only
--
-- The line is high while there is a message. That is what level-triggered means: the interrupt is pending for as long
-- as there is work, so that a handler which leaves some behind is called again. An edge-triggered interrupt is pending
-- once for each time that the line rises; what is left behind then is lost. The table below shows both.
local hw, bench = require "hw", require "bench"

local INTID = 40 -- a shared interrupt of which the machine makes no other use
local DATA, COUNT = 0x0, 0x4

local function mailbox(m)
  local irq = m:irq_line(INTID)
  local messages = {}

  local function update() -- the line follows the state; to drive it to the level that it has is harmless
    if #messages > 0 then irq:raise() else irq:lower() end
  end

  return m:device {
    name = "mailbox", base = 0x9000000,
    read = function(offset, size)
      if offset == COUNT then return #messages end
      if offset ~= DATA or #messages == 0 then return 0 end
      local message = table.remove(messages, 1)
      update()
      return message
    end,
    write = function(offset, value, size)
      if offset ~= DATA then return end
      messages[#messages + 1] = value
      update()
    end,
  }
end

-- A kernel's driver would do this through its CPU as well; from outside it is two lines. Bit 8 of the second register
-- of 32 is INTID 40, of which GICD_ICFGR2 holds two bits: level or edge.
local function enable(m, edge)
  m.gicd.GICD_IROUTER40 = m:cpu(1):read("MPIDR_EL1"):bits(23, 0)
  if edge then m.gicd.GICD_ICFGR2 = 0x20000 end
  m.gicd.GICD_ISENABLER1 = 0x100
end

-- burst sends five messages from CPU 0. The handler on CPU 1 takes at most so many out each time. Returns how often it
-- ran, the messages that it got, and how many are left behind.
local function burst(edge, at_most)
  local m = hw.machine("virt", { cpus = 2, jitter = false })
  local box = mailbox(m)
  enable(m, edge)

  local interrupts, got = 0, {}
  m:cpu(1):on_irq(function(cpu)
    local intid = cpu:mrs("ICC_IAR1_EL1")
    interrupts = interrupts + 1
    for _ = 1, at_most do
      if cpu:load(box:addr(COUNT), nil, 4) == 0 then break end
      got[#got + 1] = cpu:load(box:addr(DATA), nil, 4)
    end
    -- The line must be low before the interrupt ends, or it is taken again for nothing. The loads above have waited for
    -- the device's answer, so that it is.
    cpu:msr("ICC_EOIR1_EL1", intid)
    cpu:msr("ICC_DIR_EL1", intid)
  end)
  m:run(0, function(cpu)
    for i = 1, 5 do cpu:store(box:addr(DATA), 100 + i, nil, 4) end
  end)
  m:run() -- until nothing is left to do

  local left = m:run(0, function(cpu) return cpu:load(box:addr(COUNT), nil, 4) end)
  return interrupts, got, left
end

local rows = {}
for _, edge in ipairs { false, true } do
  for _, at_most in ipairs { 5, 1 } do
    local interrupts, got, left = burst(edge, at_most)
    local text = {}
    for i, message in ipairs(got) do text[i] = tostring(message:tonumber()) end
    rows[#rows + 1] = {
      edge and "edge" or "level", at_most, interrupts, table.concat(text, " "), left:tonumber(),
    }
  end
end
bench.table {
  title = "five messages, by trigger and by what the handler takes out each time",
  columns = { "trigger", "at most", "interrupts", "messages", "left" }, rows = rows,
}

-- What a level-triggered interrupt looks like on the way, for one message.
local m = hw.machine("virt", { cpus = 2, jitter = false })
local box = mailbox(m)
enable(m, false)
m:cpu(1):on_irq(function(cpu)
  local intid = cpu:mrs("ICC_IAR1_EL1")
  cpu:load(box:addr(DATA), nil, 4)
  cpu:msr("ICC_EOIR1_EL1", intid)
  cpu:msr("ICC_DIR_EL1", intid)
end)
print(m:trace(function()
  m:run(0, function(cpu) cpu:store(box:addr(DATA), 7, nil, 4) end)
  m:run()
end))
