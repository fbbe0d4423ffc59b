--! memory=32MiB
--! load_brackets.lua:2: stopped: the memory limit of 32 MiB is reached
local text = string.rep("x", 2^24 + 2^23)
assert(not load("return " .. string.rep("(", 2^16 - 7)))
