// Package explore executes a system in every order that its channels allow, or in a random sample of orders, and
// counts what comes out.
//
// # Mental model
//
// A [Subject] is built once and executed from the same state again and again. At each state the engine offers the
// channels that can move; the walker picks one, and remembers what its step touched. Depth first, it then goes back to
// the last state at which another step could lead elsewhere:
//
//	Begin ──●── CPU0 ──●── CPU0 store drains ──●── CPU1 ──● End
//	        └── CPU1 ──●── ...
//
// # Reduction
//
// Two steps that touch different things commute, so that one order of them is enough. Which orders remain is decided
// by source sets and sleep sets (Abdulla, Aronis, Jonsson, Sagonas, "Optimal dynamic partial order reduction", POPL
// 2014; Godefroid, LNCS 1032, 1996). A channel's step is one thing whatever its choices; all its outcomes are explored.
//
// A failure is repeated from its [Schedule]. Results do not depend on the number of workers: a sequential pass cuts the
// tree into subtrees, each is explored alone, and what they count adds up in their order.
//
// Reading order: subject.go, walker.go, node.go, reduce.go, explore.go, pool.go, random.go, schedule.go.
package explore
