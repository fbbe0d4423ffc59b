// Package host runs Lua scripts inside a Go program. It knows scripts, modules and their errors, and no hardware.
//
// A Host is one Lua state with the modules it was given:
//
//	h, err := host.New(host.Options{Modules: modules, Stdout: os.Stdout})
//	if err != nil { ... }
//	defer h.Close()
//	err = h.Run(ctx, "hello.lua", `print(require "greet".hello "world")`)
//
// Scripts are confined: no os, io, debug, dofile, loadfile; require reaches the built-in modules and the .lua files of
// Options.FS. They are deterministic: random numbers come from Options.Seed, and no text shows an address. They are
// strict: reading an undefined global is an error, and so is a number literal that Lua could not hold exactly.
//
// A Host belongs to one goroutine at a time; several hosts may run at once. Cancelling the context of Run ends the
// script at its next instruction, also inside pcall and coroutines.
//
// Reading order: host.go, run.go, scope.go (how scripts end), thread.go, errors.go, then the library files.
package host
