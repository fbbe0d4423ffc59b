--! budget=1000000
--! ok
local function f() return pcall(f) end
f()
