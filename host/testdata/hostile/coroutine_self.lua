--! budget=200000
--! ok
local co
co = coroutine.create(function() return coroutine.resume(co) end)
local _, ok, message = coroutine.resume(co)
assert(not ok and message == "cannot resume a coroutine that is active", message)
