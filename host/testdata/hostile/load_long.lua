--! memory=32MiB
--! load_long.lua:1: load: a text of 65537 bytes: at most 64 KiB can be loaded
load(string.rep(" ", 2^16 + 1))
