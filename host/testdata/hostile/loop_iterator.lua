--! budget=200000
--! loop_iterator.lua:1: stopped: the budget of 200000 instructions is used up
for _ in function() return 1 end do end
