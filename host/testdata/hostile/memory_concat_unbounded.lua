--! budget=200000
--! memory_concat_unbounded.lua:2: stopped: the budget of 200000 instructions is used up
local s = "x"
while true do s = s .. s end
