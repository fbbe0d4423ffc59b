--! memory=256MiB
--! stack_coroutines_deep.lua:3: stack overflow: too many coroutines inside one another
local function nest(n)
	if n > 0 then return (nest(n - 1)) end
	return coroutine.wrap(function()
		return nest(1500)
	end)()
end
nest(0)
