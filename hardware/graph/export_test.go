package graph

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Name is the execution in words: what each read reads, the order of each location's writes, the deadlines that pass.
func (e *Execution) Name(namesOf func(at uint64, size uint8) []string) string {
	g := e.g
	name := func(id int16) string {
		n := &g.nodes[id]
		if n.kind == opHalf {
			return fmt.Sprintf("%d.%d'", n.thread, n.op)
		}
		return fmt.Sprintf("%d.%d", n.thread, n.op)
	}
	var list []string
	add := func(l int16, before, behind string) {
		for _, s := range namesOf(e.x.places.list[l].at, e.x.places.list[l].size) {
			list = append(list, before+s+behind)
		}
	}
	for i := range g.parts {
		p := &g.parts[i]
		n := &g.nodes[p.node]
		switch {
		case n.class&writes != 0:
		case n.flags&pending != 0:
			add(p.location, name(p.node)+" ", " hangs")
		case p.from == none:
			add(p.location, name(p.node)+" ", " reads init")
		default:
			add(p.location, name(p.node)+" ", " reads "+name(g.parts[p.from].node))
		}
	}
	used := make([]bool, len(g.first))
	for i := range g.parts {
		used[g.parts[i].location] = true
	}
	for l := range g.first {
		if !used[l] {
			continue
		}
		text := ":"
		for w := g.first[l]; w >= 0; w = g.parts[w].next {
			text += " " + name(g.parts[w].node)
		}
		add(int16(l), "", text)
	}
	sort.Strings(list)
	var late []int16
	for i := range g.nodes {
		if g.nodes[i].flags&expired != 0 {
			late = append(late, int16(i))
		}
	}
	slices.SortFunc(late, func(a, b int16) int {
		if g.ob.has(a, b) {
			return -1
		}
		return 1
	})
	for _, id := range late {
		list = append(list, "expired "+name(id))
	}
	return strings.Join(list, "\n")
}
