--! budget=200000
--! loop_index.lua:2: stopped: the budget of 200000 instructions is used up
local t = setmetatable({}, {__index = function()
	while true do end
end})
return t.x
