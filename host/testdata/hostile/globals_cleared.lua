--! budget=200000
--! ok
local all, names = _G, {} for name in pairs(all) do names[#names + 1] = name end
for _, name in ipairs(names) do all[name] = nil end
