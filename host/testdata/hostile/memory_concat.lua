--! memory=32MiB
--! memory_concat.lua:2: stopped: the memory limit of 32 MiB is reached
local s = "x"
while true do s = s .. s end
