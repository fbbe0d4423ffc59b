--! memory=32MiB
--! load_reader.lua:1: load: a text of 65537 bytes: at most 64 KiB can be loaded
load(function() return "x" end)
