package graph

import "fmt"

// Misplaced says what is wrong with the listing of an execution, "" if nothing: every operation is in it once, and no
// event stands before one that is ordered before it.
func (e *Execution) Misplaced() string {
	g := e.g
	at := make([]int, len(g.nodes))
	for i := range at {
		at[i] = -1
	}
	list := g.listing()
	for i, id := range list {
		if g.nodes[id].kind != opHalf && at[id] >= 0 {
			return fmt.Sprintf("event %d is listed twice", id)
		}
		at[id] = i
		if w := g.half(id); w >= 0 {
			at[w] = i
		}
	}
	for id := range int16(len(g.nodes)) {
		if g.nodes[id].op < 0 || g.nodes[id].flags&pending != 0 && g.nodes[id].kind == opTake {
			continue
		}
		if at[id] < 0 {
			return fmt.Sprintf("event %d of %d, %v, is not listed", id, len(g.nodes), g.nodes[id].kind)
		}
		for b := range int16(len(g.nodes)) {
			if at[b] >= 0 && g.nodes[b].flags&pending == 0 && g.ob.has(b, id) && at[b] > at[id] {
				return fmt.Sprintf("event %d is listed before %d", id, b)
			}
		}
	}
	return ""
}
