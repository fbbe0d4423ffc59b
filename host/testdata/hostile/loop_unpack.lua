--! budget=2000000
--! loop_unpack.lua:1: stopped: the budget of 2000000 instructions is used up
while true do pcall(unpack, {}, 1, 500000) end
