--! budget=200000
--! error_nan_key.lua:1: table index is NaN
local t = {} t[0/0] = 1
