--! budget=200000
--! ok
local _, message = pcall(error, string.rep("table: 0x1 ", 2^16), 0)
assert(not message:find "0x")
