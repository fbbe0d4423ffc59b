--! budget=1000000
--! loop_yield.lua:2: stopped: the budget of 1000000 instructions is used up
local co = coroutine.wrap(function()
	while true do coroutine.yield() end
end)
while true do co() end
