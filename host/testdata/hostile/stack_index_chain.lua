--! budget=200000
--! stack_index_chain.lua:2: too many recursions in gettable
local a = {} setmetatable(a, {__index = a})
return a.x
