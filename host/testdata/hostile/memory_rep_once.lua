--! memory=32MiB
--! memory_rep_once.lua:1: stopped: the memory limit of 32 MiB is reached
local s = string.rep("x", 2^27)
