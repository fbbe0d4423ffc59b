// Package tests holds what is tested of the program as a whole:
//
//   - layers_test.go: which package may import which;
//   - tidy_test.go, tidymodel_test.go, tidytext_test.go: the house rules, each finding with its cure;
//   - golden_test.go: every script under scripts/ against its output under golden/;
//   - script_test.go: the command line, from testdata/script/.
//
// With HWSCRIPT_UPDATE=1 the golden files are rewritten. Read the difference, and say in the commit why it changed.
package tests
