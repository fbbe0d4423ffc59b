--! budget=50000
--! loop_thread_coroutine.lua:2: stopped: the budget of 50000 instructions is used up
go.thread(function()
	coroutine.wrap(function() while true do pcall(error) end end)()
end)
