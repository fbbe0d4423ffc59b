--! budget=200000
--! stack_pcall_deep.lua:5: stopped: the budget of 200000 instructions is used up
local function f(n)
	if n < 240 then
		return pcall(f, n + 1), n
	end
	while true do end
end
f(0)
