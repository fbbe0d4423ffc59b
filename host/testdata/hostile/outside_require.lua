--! budget=200000
--! outside_require.lua:1: require "../../etc/passwd": expected the name of a module or of a .lua file beside the script or below it
require "../../etc/passwd"
