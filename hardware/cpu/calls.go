package cpu

import "github.com/hwscript/hwscript/hardware/sim"

// Enter says that the program enters a function of the kernel, and Leave that it leaves the one it has entered last.
// That takes no time, and costs the host nothing while nobody listens.
func (c *CPU) Enter(symbol string) {
	if c.engine.Wants(sim.Enter) {
		c.recordCall(sim.Enter, symbol)
	}
}

// Leave is the end of what Enter has begun.
func (c *CPU) Leave() {
	if c.engine.Wants(sim.Leave) {
		c.recordCall(sim.Leave, "")
	}
}

//go:noinline
func (c *CPU) recordCall(kind sim.Kind, symbol string) {
	c.proc.Sync() // the program may have run ahead of what interrupts it
	c.engine.Record(sim.Record{At: c.Now(), Source: c.proc.Name(), Kind: kind, Symbol: symbol})
}
