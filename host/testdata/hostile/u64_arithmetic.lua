--! budget=200000
--! u64_arithmetic.lua:1: stopped: the budget of 200000 instructions is used up
local x = u64"0xffffffffffffffff" while true do pcall(function() x = x * x / x + x % (x - x) end) end
