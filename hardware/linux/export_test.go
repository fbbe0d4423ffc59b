package linux

// FunctionNumbers are the numbers that csds may hold: all that were ever made but that of the empty function, and
// those of them that are free.
func (k *Kernel) FunctionNumbers() (made, free int) { return len(k.funcs) - 1, len(k.free) }

// Redistributor is the address of a CPU's redistributor, found at boot.
func (k *Kernel) Redistributor(cpu int) uint64 { return k.percpu[cpu].gicr }
