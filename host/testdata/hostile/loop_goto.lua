--! budget=200000
--! loop_goto.lua:2: stopped: the budget of 200000 instructions is used up
::again::
goto again
