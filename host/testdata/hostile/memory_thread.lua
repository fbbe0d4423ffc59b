--! memory=128MiB
--! memory_thread.lua:1: stopped: the memory limit of 128 MiB is reached
go.thread(function() local s = "x" while true do pcall(function() s = s .. s end) end end)
