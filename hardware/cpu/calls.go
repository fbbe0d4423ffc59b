package cpu

// Enter says that the program enters a function of the kernel, and Leave that it leaves the one it has entered last.
// That takes no time, and costs the host nothing while nobody listens.
func (c *CPU) Enter(symbol string) {
	if calls := c.engine.Calls(); calls != nil {
		c.proc.Sync() // the program may have run ahead of what interrupts it
		calls.Enter(c.Now(), c.proc.Name(), symbol)
	}
}

// Leave is the end of what Enter has begun.
func (c *CPU) Leave() {
	if calls := c.engine.Calls(); calls != nil {
		c.proc.Sync()
		calls.Leave(c.Now(), c.proc.Name())
	}
}
