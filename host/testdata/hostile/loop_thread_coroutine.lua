--! budget=200000
--! loop_thread_coroutine.lua:2: stopped: the budget of 200000 instructions is used up
go.thread(function()
	coroutine.wrap(function() while true do pcall(error) end end)()
end)
