--! budget=200000
--! ok
local ok, message = xpcall(error, function() error "again" end)
assert(not ok and message == "error_handler.lua:1: again", message)
