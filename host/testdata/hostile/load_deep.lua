--! budget=200000
--! ok
local f, message = load("return " .. "x" .. string.rep("+x", 2000))
assert(not f and message:find "nested more than 1000 levels deep", message)
