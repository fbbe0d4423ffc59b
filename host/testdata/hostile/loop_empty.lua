--! budget=1000000
--! loop_empty.lua:1: stopped: the budget of 1000000 instructions is used up
while true do end
