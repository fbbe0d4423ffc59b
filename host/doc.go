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
// script within some instructions, also inside pcall, coroutines, and library functions that take long. Options.Limits
// ends one that executes too many instructions or fills the memory. Nothing that a script does makes the process panic,
// hang or exit; testdata/hostile holds attempts. After any of them the host can be used again.
//
// What a host cannot bound is the time of a module's own functions: those that loop poll Host.Stopped, and those that
// allocate by what a script says bound it by the types of their parameters.
//
// Reading order: host.go, run.go, scope.go (how scripts end), limits.go, thread.go, errors.go; compile.go, syntax.go,
// checker.go, rewrite.go; then the library: base.go, portable.go, coroutine.go, library.go, strings.go, pattern.go,
// tables.go.
package host
