// Package tests holds what is tested of the program as a whole:
//
//   - layers_test.go: which package may import which;
//   - tidy_test.go, tidymodel_test.go, tidytext_test.go: the house rules, each finding with its cure;
//   - gicconformance_test.go, gicvgic_test.go: the GIC tests of kvm-unit-tests and of the kernel's selftests, under
//     their names, on booted machines;
//   - oracle_test.go with oracletrace_test.go, oracletarget_test.go and oraclemask_test.go: traces of another
//     implementation, from testdata/oracle/ and the folder HWSCRIPT_ORACLE, against the machine virt;
//   - golden_test.go: every script under scripts/ against its output under golden/;
//   - script_test.go: the command line, from testdata/script/: commands, formats, parameters, standard input and closed
//     pipes, exit statuses, and the message for every mistake in a machine's topology, in programs and in parameters.
//
// With HWSCRIPT_LONG=1 the tests of all packages also make the runs that take minutes. With HWSCRIPT_UPDATE=1 the
// golden files are rewritten. Read the difference, and say in the commit why it changed.
package tests
