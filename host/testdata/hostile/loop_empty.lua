--! budget=200000
--! loop_empty.lua:1: stopped: the budget of 200000 instructions is used up
while true do end
