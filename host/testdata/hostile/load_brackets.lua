--! memory=32MiB
--! load_brackets.lua:1: stopped: the memory limit of 32 MiB is reached
assert(not load("return " .. string.rep("(", 2^17)))
