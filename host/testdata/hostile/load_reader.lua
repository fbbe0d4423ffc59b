--! memory=32MiB
--! load_reader.lua:1: load: a text of 262145 bytes: at most 256 KiB can be loaded
load(function() return "x" end)
