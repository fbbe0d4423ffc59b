--! memory=64MiB
--! ok
for _, open in ipairs { "(", "{", "#", "- ", "not ", "x^", "x..", "f{", "do ", "function f() ", "if x then " } do
  local f, message = load("return " .. string.rep(open, math.floor((2^16 - 7) / #open)))
  assert(not f and (message:find "unexpected end" or message:find "syntax error"), message)
end
