--! timeout=100ms
--! memory_varargs.lua:1: stopped: context deadline exceeded
local t = {} local function f(...) return f(1, 2, 3, 4, 5, 6, 7, 8, ...) end for i = 1, 1e5 do t[i] = i end while true do pcall(f, unpack(t)) end
