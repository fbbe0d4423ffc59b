--! budget=200000
--! coroutine_yield_main.lua:1: coroutine.yield: there is no coroutine to leave
coroutine.yield()
