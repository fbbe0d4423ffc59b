--! memory=64MiB
--! string_rep_nested.lua:1: stopped: the memory limit of 64 MiB is reached
local s = "x" while true do s = s:rep(2) end
