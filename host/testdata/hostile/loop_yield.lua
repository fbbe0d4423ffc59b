--! budget=200000
--! loop_yield.lua:4: stopped: the budget of 200000 instructions is used up
local co = coroutine.wrap(function()
	while true do coroutine.yield() end
end)
while true do co() end
