--! budget=1000000
--! loop_iterator.lua:1: stopped: the budget of 1000000 instructions is used up
for _ in function() return 1 end do end
