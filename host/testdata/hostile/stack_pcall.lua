--! budget=200000
--! ok
local function f() return pcall(f) end
f()
