--! memory=128MiB
--! memory_concat.lua:2: stopped: the memory limit of 128 MiB is reached
local s = "x"
while true do s = s .. s end
