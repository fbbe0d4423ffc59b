--! timeout=60s
--! stack_nested_calls.lua:1: handlers are nested 128 deep: each one is interrupted by the next before it returns (CPU 3)
local function f() go.nested(f) end go.thread(f)
