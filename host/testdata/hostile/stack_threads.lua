--! memory=32MiB
--! stack_threads.lua:1: stopped: the memory limit of 32 MiB is reached
local function f() go.thread(f) end f()
