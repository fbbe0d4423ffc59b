// Package result holds what a script has found out: the simulated values of the cases it compared, the
// comparisons between them, the published figures they stand beside, and its tables and notes.
//
// A [Report] collects these while a script runs. Its text form is written piece by piece as they arrive
// ([TextWriter]); its machine forms are written once, at the end: [Report.WriteJSON], [Report.WriteCSV] and
// [Report.WriteBenchfmt] (the Go benchmark format, which benchstat reads).
//
// Reading order: report.go and params.go (what is collected), stats.go (how it is summarised), format.go (how numbers
// are printed), text.go, machine.go (the formats).
//
// Statistics are computed exactly, in rationals, and rounded once, to six significant digits; the p value is
// the Mann-Whitney U test of golang.org/x/perf/benchmath (AssumeNothing). Equal inputs give equal bytes.
package result
