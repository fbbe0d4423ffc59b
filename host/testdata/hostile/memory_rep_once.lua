--! memory=128MiB
--! memory_rep_once.lua:1: stopped: the memory limit of 128 MiB is reached
local s = string.rep("x", 2^27)
