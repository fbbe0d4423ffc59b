--! memory=256MiB
--! error_large.lua:1: error object: a large table
local t = {} for i = 1, 1e5 do t[i] = {} end error(t)
