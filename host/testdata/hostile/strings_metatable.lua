--! budget=200000
--! ok
assert(getmetatable("") == "string")
string.find, string.rep = nil, error
assert(("x").find == nil)
