--! budget=200000
--! stack_require.lua:1: require "nothing": no such module, and no file nothing.lua beside the script; built in are go
require "nothing"
