-- Something of everything that can be typed.
local a, b = hw.machine("virt", { cpus = 4, linux = { ipi_barrier = 'dsb_st' } }), [==[ long ]] ]==]
m:run(0, function(cpu, ...)
  for i, v in ipairs({ 1, 0x2f, 3e-4, "a\"b", [ [[key]] ] = m }) do
    cpu:store(m:lines(7):addr(0), u64"0xff_00", "release") --[[ not code ]]
    if i ~= #b and not (v == m.spec.cpus .. "") then print(m["spec"].name:upper(), a.x, (a), f{ x = 1 }.y, f'x':z()) end
  end
end)
