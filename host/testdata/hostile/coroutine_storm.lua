--! budget=50000
--! coroutine_storm.lua:2: stopped: the budget of 50000 instructions is used up
while true do
	local co = coroutine.create(function() coroutine.yield() error "never" end)
	coroutine.resume(co)
end
