// Package api describes what Lua scripts can see: modules, classes, functions, their parameters and options.
//
// A descriptor is the one source of a Lua-visible name. From it come the installation with generated argument checks,
// and the text of help, completion and the reference. Descriptors are immutable package-level values, shared by all
// hosts; what belongs to one Lua state (metatables, bound functions) is made when a module is installed there.
//
// A function of a descriptor is an ordinary lua.LGFunction. It runs only with arguments that fit its Params, so it
// reads them without further checks, by stack position as in gopher-lua: IntAt, U64At, Words.At, Object and the like.
// In a method position 1 is the object. Error messages count arguments as the script's author does, without the object.
//
// Reading order: describe.go, types.go, bind.go (checks and errors), args.go, options.go, u64.go, record.go;
// reference.go with help.go, markdown.go and luals.go (what is made of the descriptors).
package api
