--! budget=200000
--! meta_index_functions.lua:2: stopped: the budget of 200000 instructions is used up
local t = {}
for i = 1, 150 do local inner = t t = setmetatable({}, {__index = function(_, k) return inner[k] end}) end
while true do local _ = t.x end
