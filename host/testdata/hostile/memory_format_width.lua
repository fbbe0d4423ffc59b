--! memory=32MiB
--! memory_format_width.lua:1: string.format: the width or precision in "%999999999" is above 99
return string.format("%999999999d", 1)
