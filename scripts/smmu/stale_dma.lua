-- What a device still reaches of a page that has been unmapped, before and behind the invalidation and its CMD_SYNC,
-- and what the SMMU writes into its event queue when it no longer does. The driver is the script: registers, tables and
-- commands as the manual has them.

local hw, u64 = require "hw", require "u64"
local m = hw.machine("virt", { smmu = {} })
local smmu = m.smmu

-- Where things are: RAM that nobody else uses.
local ram = u64"0x48000000"
local cmdq, eventq, strtab = ram, ram + 0x10000, ram + 0x20000
local cd, l1, l2, l3 = ram + 0x30000, ram + 0x40000, ram + 0x41000, ram + 0x42000
local page, flag = ram + 0x50000, ram + 0x60000
local sid, iova = 8, 0x1000

local prod = 0
local function command(cpu, d0, d1) -- the two words, a barrier, SMMU_CMDQ_PROD
  cpu:store(cmdq + prod % 16 * 16, d0)
  cpu:store(cmdq + prod % 16 * 16 + 8, d1)
  cpu:dsb "st"
  prod = (prod + 1) % 32
  cpu:store(smmu.base + 0x98, prod, nil, 4)
end

local function sync(cpu, n) -- with an MSI of n, which is waited for
  command(cpu, u64"0x0fc01046":bor(u64(n):shl(32)), flag)
  cpu:wait(flag, n)
end

local function boot(cpu)
  cpu:store(strtab + sid * 64, u64"0x0b":bor(cd))        -- STE: valid, stage 1
  cpu:store(strtab + sid * 64 + 8, u64"0x1000000000d4")
  cpu:store(cd, u64"0x00016205c0003519")                 -- CD: 39 bits, 4 KiB, ASID 1, faults recorded and aborted
  cpu:store(cd + 8, l1)
  cpu:store(cd + 24, u64"0xff440c0400")
  cpu:store(l1, l2:bor(3))
  cpu:store(l2, l3:bor(3))
  cpu:store(l3 + 8, page:bor(0xf53))                     -- iova 0x1000: a page, not global, write-back
  cpu:store(page, 0x1234)
  cpu:dsb "st"
  cpu:store(smmu.base + 0x28, 0xd75, nil, 4)         -- SMMU_CR1: inner-shareable, write-back
  cpu:store(smmu.base + 0x80, strtab)
  cpu:store(smmu.base + 0x88, 5, nil, 4)
  cpu:store(smmu.base + 0x90, cmdq:bor(4))
  cpu:store(smmu.base + 0xa0, eventq:bor(4))
  cpu:store(smmu.base + 0x20, 0xd, nil, 4)           -- SMMU_CR0: SMMUEN, EVENTQEN, CMDQEN
  repeat local ack = cpu:load(smmu.base + 0x24, nil, 4) until ack == u64(0xd)
end

local function show(when)
  local result, value = smmu:access(sid, iova, "read")
  print(string.format("%-34s %s", when, result == "performed" and "the device reads " .. tostring(value) or result))
end

m:run(0, boot)
print("how the device's address is translated:")
smmu:translate(sid, iova)
print()
show("mapped")
m:run(0, function(cpu) cpu:store(l3 + 8, 0); cpu:dsb "st" end)
show("descriptor cleared")
m:run(0, function(cpu) command(cpu, u64"0x0002000000000012", iova + 1) end)
show("TLBI of another ASID")
m:run(0, function(cpu) command(cpu, u64"0x0001000000000012", iova + 1); sync(cpu, 1) end)
show("TLBI, CMD_SYNC")
print()
smmu:dump()
