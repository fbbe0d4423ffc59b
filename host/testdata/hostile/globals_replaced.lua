--! budget=200000
--! globals_replaced.lua:2: stopped: the budget of 200000 instructions is used up
pcall, error, tostring, setmetatable, _G, next = nil, nil, nil, nil, nil, nil
while true do end
