--! budget=200000
--! ok
local ok, message = coroutine.wrap(function() return pcall(coroutine.yield) end)()
assert(not ok and message:find "cannot yield inside pcall", message)
