--! budget=200000
--! ok
local a, b
a = coroutine.create(function() return coroutine.resume(b) end)
b = coroutine.create(function() return coroutine.resume(a) end)
local _, _, ok, message = coroutine.resume(a)
assert(not ok and message == "cannot resume a coroutine that is active", message)
