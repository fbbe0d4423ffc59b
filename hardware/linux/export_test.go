package linux

// FunctionNumbers are the numbers that csds may hold: all that were ever made but that of the empty function, and
// those of them whose function was taken.
func (k *Kernel) FunctionNumbers() (made, free int) {
	for i := range k.percpu {
		for _, f := range k.percpu[i].funcs {
			made++
			if f == nil {
				free++
			}
		}
	}
	return made, free
}
