--! memory=32MiB
--! load_long.lua:1: load: a text of 262145 bytes: at most 256 KiB can be loaded
load(string.rep(" ", 2^18 + 1))
