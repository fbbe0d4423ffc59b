--! budget=1000000
--! ok
assert(getmetatable("") == "string")
string.find, string.rep = nil, error
assert(("x").find == nil)
