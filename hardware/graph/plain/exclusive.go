package plain

// storeExclusive pairs with the load exclusive of the same bytes, or fails. The status of Arm's carries no
// dependency, that of RISC-V's is one on the write.
func (r *runner) storeExclusive(s *state, in *Instr, e event) error {
	monitor := s.monitor
	s.monitor = none
	matches := monitor >= 0 && s.events[monitor].cell == e.cell && s.events[monitor].off == e.off &&
		s.events[monitor].size == e.size
	if r.fail || !matches {
		c := s
		if matches {
			c = s.fork()
		}
		c.add(event{kind: kindFail}, r.thread)
		c.set(in.Rd, 1, 0)
		if !matches {
			return nil
		}
		if err := r.run(c); err != nil {
			return err
		}
	}
	e.pair = monitor + 1
	v, data := s.get(in.A)
	bit := s.write(r.thread, e, v, data)
	if in.Op == StoreExclusive {
		bit = 0
	}
	s.set(in.Rd, 0, bit)
	return nil
}

// release is what an exception return does to the monitor. Arm's clears it (DDI 0487, Synchronization and semaphores);
// that of RISC-V may or may not (Zalrsc, LR and SC).
func (r *runner) release(s *state) error {
	if s.monitor >= 0 && s.events[s.monitor].reserved {
		if err := r.run(s.fork()); err != nil {
			return err
		}
	}
	s.monitor = none
	return nil
}
