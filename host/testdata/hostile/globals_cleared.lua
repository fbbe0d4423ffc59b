--! budget=1000000
--! ok
for name in pairs(_G) do _G[name] = nil end
