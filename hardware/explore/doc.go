// Package explore carries out explorations of programs as execution graphs (package graph) on several cores, and puts
// into words and tables what comes out.
//
// The report is the same however many [Workers] there are: a plan cuts the tree of executions into subtrees, each is
// explored alone, and what they count adds up in their order. A [Claim] says in a line what may be said of a report, a
// [Counterexample] lays an execution out, and a [Token] repeats it.
//
// Reading order: workers.go, words.go, counterexample.go, token.go.
package explore
