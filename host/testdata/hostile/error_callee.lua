--! budget=200000
--! ok
local name = string.rep("f", 10000)
local f, message = load("local function " .. name .. "() end " .. name .. "()")
assert(not f and message:find "by a name of more than 200 characters", message)
