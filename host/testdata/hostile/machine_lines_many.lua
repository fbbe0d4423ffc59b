--! budget=200000 memory=32MiB
--! machine_lines_many.lua:1: stopped: the memory limit of 32 MiB is reached
local m = hw.machine("virt") while true do m:lines(4096) end
