--! budget=200000
--! loop_thread.lua:1: stopped: the budget of 200000 instructions is used up
go.thread(function() while true do pcall(function() while true do end end) end end)
