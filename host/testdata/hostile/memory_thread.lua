--! memory=32MiB
--! memory_thread.lua:1: stopped: the memory limit of 32 MiB is reached
go.thread(function() local s = "x" while true do pcall(function() s = s .. s end) end end)
