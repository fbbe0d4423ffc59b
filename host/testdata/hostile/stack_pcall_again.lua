--! timeout=100ms
--! stack_pcall_again.lua:1: stopped: context deadline exceeded
local function f() return 1 + f() end
while true do pcall(f) end
