--! timeout=100ms
--! loop_late.lua:1: stopped: context deadline exceeded
while true do pcall(function() while true do end end) end
