// Package bindings is what Lua scripts see: the descriptors and functions of the modules hw, bench, check and u64.
//
// A module or class is a package-level descriptor of package host/api, shared by all hosts. What belongs to one host,
// such as the results and the run under way, is in its Session.
//
// Reading order: session.go; bench.go with benchparams.go, benchcompare.go and benchpublished.go; then the rest, one
// file per module or class.
package bindings
