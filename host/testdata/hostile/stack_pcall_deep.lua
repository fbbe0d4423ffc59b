--! timeout=100ms
--! stack_pcall_deep.lua:3: stopped: context deadline exceeded
local function f(n)
	if n < 1900 then
		return pcall(f, n + 1), n
	end
	while true do end
end
f(0)
