// Package bindings is what Lua scripts see: the descriptors and functions of the modules hw, bench, check and u64.
//
// A module or class is a package-level descriptor of package host/api, shared by all hosts. What belongs to one host,
// such as the results and the run under way, is in its Session.
//
// Reading order: session.go; hw.go with hwspec.go, hwmachine.go, hwcpu.go and hwcontrol.go, hwprogram.go (Lua programs
// of CPUs), hwlinux.go; hwdevice.go, register.go and hwdecode.go (inspection); bench.go with benchparams.go,
// benchcompare.go and benchpublished.go; then the rest, one file per module or class.
//
// REFERENCE.md and scripts/hwscript.d.lua are generated from the descriptors; see reference.go.
package bindings
