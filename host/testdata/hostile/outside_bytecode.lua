--! budget=200000
--! ok
assert(string.dump == nil)
assert(not load("\27Lua"))
