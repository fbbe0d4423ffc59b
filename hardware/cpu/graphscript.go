package cpu

import "github.com/hwscript/hwscript/hardware/graph"

// Programs whose values say where they come from, as scripts have them, tell the graph what their accesses depend on.
// What follows is for CPUs that are threads of an execution graph.

// Result are the loads from which the last instruction that answers a value has it.
func (c *CPU) Result() graph.Sources { return c.graph.result.From }

// Uses declares from which loads the address of the next access comes, and the data that it uses.
func (c *CPU) Uses(address, data graph.Sources) {
	g := c.graph
	g.address.From, g.data.From = g.address.From.Or(address), g.data.From.Or(data)
}

// Settle stands until loads have read: the program looks at what they have. If what it does then depends on them, all
// that comes does.
func (c *CPU) Settle(s graph.Sources, branch bool) { c.graph.h.Settle(s, branch) }

// UpdateObject accesses an object that is no hardware, in the place of an instruction. The operand is what the function
// uses besides what it finds, and the loads from which that comes.
func (c *CPU) UpdateObject(
	object uint64, f graph.Function, operand uint64, uses graph.Sources,
) (v uint64, from graph.Sources) {
	data := graph.Value{Bits: operand, From: uses}
	r := c.graph.h.Update(graph.Constant(object), 8, graph.Noted, graph.Noted, f, data)
	return r.Bits, r.From
}

// EndHere ends the program where it stands, and with it all that the CPU does. It does not return.
func (c *CPU) EndHere() {
	c.graph.h.SetMasked(true)
	c.graph.h.End()
}

// Refuse ends the exploration with an error. It does not return.
func (c *CPU) Refuse(err error) { c.graph.h.Refuse(err) }
