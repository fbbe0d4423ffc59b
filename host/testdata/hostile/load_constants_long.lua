--! timeout=60s
--! ok
local t = {} for i = 1, 10000 do t[i] = i end
local f, message = load("return {" .. table.concat(t, ",") .. "}")
assert(not f and message:find "too many constants", message)
