--! budget=200000 memory=64MiB
--! machine_many.lua:1: stopped: the memory limit of 64 MiB is reached
local t = {} while true do t[#t + 1] = hw.machine("virt", { cpus = 64 }) end
