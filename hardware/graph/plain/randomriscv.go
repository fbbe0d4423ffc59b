package plain

// RandomRISCVKnobs is RandomKnobs for programs of RISC-V: no events, interrupts are stores to a device.
func RandomRISCVKnobs(seed uint64) Knobs {
	k := RandomKnobs(seed)
	k.RISCV, k.Events = true, false
	return k
}

// signal and plain name an instruction by what RISC-V has in its place.
func (w *writer) signal(name string) string {
	if w.k.RISCV {
		return "ring"
	}
	return name
}

func (w *writer) plain(name string) string {
	if !w.k.RISCV {
		return name
	}
	switch name {
	case "waita", "waitq":
		return "wait"
	case "ldar", "ldapr":
		return "ldr"
	case "stlr":
		return "str"
	}
	return name
}

// randomFence prefers the fences that the kernel uses.
func randomFence(r *random) string {
	sets := []string{"r", "w", "rw", "iorw", "i", "o"}
	if r.percent(50) {
		return "fence " + pick(r, "rw, rw", "r, rw", "rw, w", "r, r", "w, w", "iorw, iorw", "w, o", "i, ir")
	}
	if r.percent(15) {
		return "fence.tso"
	}
	return "fence " + pick(r, sets...) + ", " + pick(r, sets...)
}

// accessRISCV writes an AMO or a pair of LR and SC, or answers that another access is due.
func (w *writer) accessRISCV(reads bool, size, at, v string) bool {
	switch {
	case !reads:
		return false
	case w.k.Atomics && w.r.percent(30):
		rd := "zr"
		if w.r.percent(75) {
			rd = Operand{Reg: w.next}.String()
		}
		w.emit("%s%s.%s %s, %s, %s", pick(w.r, "amoswap", "amoadd"), pick(w.r, "", "", ".aq", ".rl", ".aqrl"), size, rd, v,
			at)
		if rd != "zr" {
			w.read()
		}
		return true
	case w.k.Exclusives && w.next+1 < w.limit && w.r.percent(30):
		w.emit("lr%s.%s r%d, %s", pick(w.r, "", "", ".aq", ".aqrl"), size, w.next, at)
		w.emit("sc%s.%s r%d, %s, %s", pick(w.r, "", "", ".rl", ".aqrl"), size, w.next+1, v, at)
		w.last = w.next
		if w.r.percent(30) {
			w.last++ // what depends on the status
		}
		w.next += 2
		return true
	}
	return false
}
