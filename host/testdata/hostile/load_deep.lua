--! budget=1000000
--! ok
local f, message = load("return " .. string.rep("-", 1) .. "x" .. string.rep("+x", 20000))
assert(not f and message:find "nested more than 1000 levels deep", message)
