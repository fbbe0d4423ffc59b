--! budget=200000
--! error_cycle.lua:1: error object: {self = {...the same table...}}
local t = {} t.self = t error(t)
