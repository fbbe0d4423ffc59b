--! budget=1000000
--! coroutine_yield_main.lua:1: can not yield from outside of a coroutine
coroutine.yield()
