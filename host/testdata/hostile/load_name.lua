--! budget=200000
--! ok
local f = load("error 'x'", string.rep("n", 2^20))
local _, message = pcall(f)
assert(#message < 300, #message)
