--! budget=1000000
--! memory_concat_unbounded.lua:2: a string of 536870912 bytes: the longest has 256 MiB
local s = "x"
while true do s = s .. s end
