package graph_test

import (
	"testing"

	. "github.com/hwscript/hwscript/hardware/graph"
)

// What a search keeps does not grow with the executions that it has visited.
func TestMemory(t *testing.T) {
	for _, random := range []bool{false, true} {
		few := Graphs(wide(2, 4, 6, 8), &Arm, 200, random)
		if all := Graphs(wide(2, 4, 6, 8), &Arm, 4000, random); few == 0 || all > few+few/4 {
			t.Errorf("random %v: %d graphs after 200 executions, %d after 4000", random, few, all)
		}
	}
}
