--! budget=1000000
--! loop_goto.lua:2: stopped: the budget of 1000000 instructions is used up
::again::
goto again
