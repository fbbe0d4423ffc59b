package plain

import "slices"

// stages cuts an execution at its deadlines: a deadline passes when nothing else can happen, and only then. stage[e] is
// the number of deadlines that had to pass before e could happen: a thread stops only in a wait.
type stages struct {
	c     *candidate
	order []int // Waits whose deadline passed, in the order in which they did.
	stage []int
}

// ends reports whether ordered-before is acyclic for some order of the deadlines, and nothing was left to happen.
func (c *candidate) ends(ob *relation) bool {
	var passed []int
	for i := range c.events {
		if c.events[i].wait == endingPassed {
			passed = append(passed, i)
		}
	}
	c.deadlines = nil
	if !acyclic(ob, len(c.events)) {
		return false
	}
	err := permute(passed, 0, func() error {
		s := &stages{c: c, order: passed}
		if s.possible(*ob) {
			c.deadlines = append(c.deadlines, slices.Clone(passed))
		}
		return nil
	})
	return err == nil && len(c.deadlines) > 0
}

func (s *stages) possible(ob relation) bool {
	if !s.fill() {
		return false
	}
	for i, e := range s.order {
		was := s.before(i + 1)
		if !s.quiet(was) || !s.newest(e, was) {
			return false
		}
		for earlier := range s.c.events {
			if was.has(earlier) {
				ob.add(earlier, e)
			}
		}
	}
	end := s.before(len(s.order) + 1)
	for i := range s.c.events {
		if s.c.events[i].wait == endingBlocked && !s.newest(i, end) {
			return false
		}
	}
	return s.quiet(end) && acyclic(&ob, len(s.c.events))
}

// before is what happened before deadline n passed; deadlines count from 1.
func (s *stages) before(n int) set {
	var was set
	for e, stage := range s.stage {
		if stage < n {
			was |= 1 << e
		}
	}
	return was
}

// fill computes the stages; it fails if a deadline would have to pass before itself.
func (s *stages) fill() bool {
	s.stage = make([]int, len(s.c.events))
	for changed := true; changed; {
		changed = false
		for i := range s.c.events {
			stage := s.wants(i)
			if stage > len(s.order) {
				return false
			}
			if stage > s.stage[i] {
				s.stage[i], changed = stage, true
			}
		}
	}
	for i, e := range s.order {
		if s.stage[e] != i+1 || s.previous(e) > i {
			return false
		}
	}
	return true
}

// previous is the stage of the event before e in its thread.
func (s *stages) previous(e int) int {
	if t := s.c.events[e].thread; t < 0 || e == s.c.start[t] {
		return 0
	}
	return s.stage[e-1]
}

// wants is the least stage of an event: its predecessor's, and for what ends a wait that of its cause.
func (s *stages) wants(i int) int {
	stage := s.previous(i)
	switch e := &s.c.events[i]; {
	case e.wait == endingPassed:
		for n, d := range s.order {
			if d == i {
				stage = max(stage, n+1)
			}
		}
	case e.wait != endingNone:
		for _, src := range s.c.sources {
			if src.read == i {
				stage = max(stage, s.stage[src.write])
			}
		}
	case e.kind == kindClear:
		for _, src := range s.c.sources {
			if src.read == i {
				stage = max(stage, s.stage[src.write])
			}
		}
	case e.kind == kindTake || e.kind == kindWFE:
		for n := range s.c.latches {
			for at, member := range s.c.latches[n].order {
				if member == i {
					stage = max(stage, s.stage[s.c.latches[n].order[at-1]])
				}
			}
		}
	}
	return stage
}

// newest reports whether a read saw, in each byte, the last write among those that happened.
func (s *stages) newest(read int, was set) bool {
	for _, src := range s.c.sources {
		if src.read == read && src.write != s.last(s.c.atoms[src.atom], was) {
			return false
		}
	}
	return true
}

func (s *stages) last(a atom, was set) int {
	last := none
	for _, w := range s.c.order[a.cell] {
		if was.has(w) && a.in(&s.c.events[w]) {
			last = w
		}
	}
	return last
}

// waiting reports whether a wait would go on waiting after what happened.
func (s *stages) waiting(e *event, was set) bool {
	var value uint64
	for _, a := range s.c.atoms {
		if a.in(e) {
			value |= a.of(&s.c.events[s.last(a, was)]) << (8 * (a.off - e.off))
		}
	}
	return !e.test.holds(value, e.operand)
}

// set reports whether a latch is set after what happened.
func (s *stages) set(l *latch, was set) bool {
	isSet := false
	for _, e := range l.order {
		if was.has(e) {
			isSet = l.sets(&s.c.events[e])
		}
	}
	return isSet
}

// quiet reports whether no thread can go on after what happened, unless a deadline passes.
func (s *stages) quiet(was set) bool {
	for t := range s.c.traces {
		if !s.stopped(t, was) {
			return false
		}
	}
	return true
}

// stopped reports whether a thread has ended or waits, with no interrupt that it would take.
func (s *stages) stopped(thread int, was set) bool {
	trace, from := s.c.traces[thread], s.c.start[thread]
	next, end := from, s.c.start[thread+1]
	for next < end && was.has(next) {
		next++
	}
	masked := trace.masked
	if next < end {
		masked = s.c.events[next].masked
	}
	if !masked && s.interrupted(thread, was) {
		return false
	}
	stands, monitor := next, trace.monitor
	if next < end {
		monitor = s.c.events[next].monitor
	}
	if next = s.resumed(next, end); next != stands && s.masksBefore(next, end, trace) {
		return false
	}
	if next < end {
		e := &s.c.events[next]
		return (e.kind == kindWFE || e.kind == kindClear) && !s.woken(thread, monitor, was) ||
			e.wait != endingNone && s.waiting(e, was)
	}
	if !trace.blocked {
		return true
	}
	// A wait in the end: what it saw is the last value of all, and so the last of what happened.
	last := end - 1
	return last >= from && s.c.events[last].wait == endingBlocked ||
		!s.woken(thread, monitor, was)
}

// woken reports whether a WFE ends after what happened: by the event register, or because the monitor was cleared.
func (s *stages) woken(thread, monitor int, was set) bool {
	if s.eventSet(thread, was) {
		return true
	}
	for _, src := range s.c.sources {
		if monitor < 0 || src.read != s.c.start[thread]+monitor {
			continue
		}
		a := s.c.atoms[src.atom]
		if s.c.written(thread, src, s.c.position(a.cell, s.last(a, was))) {
			return true
		}
	}
	return false
}

// masksBefore reports whether a thread that stood unmasked has masked interrupts before its next event: it went on.
func (s *stages) masksBefore(next, end int, trace *trace) bool {
	if next < end {
		return s.c.events[next].masked
	}
	return trace.masked
}

// resumed skips interrupts taken while a thread waits: what they interrupted is the next event outside them.
func (s *stages) resumed(next, end int) int {
	if next == end {
		return next
	}
	depth := s.c.events[next].depth
	for next < end && (s.c.events[next].kind == kindTake || s.c.events[next].depth > depth) {
		next++
	}
	return next
}

func (s *stages) interrupted(thread int, was set) bool {
	for i := range s.c.latches {
		l := &s.c.latches[i]
		if l.thread != thread || l.intid == none || !s.set(l, was) {
			continue
		}
		for _, h := range s.c.p.Threads[thread].Handlers {
			if h.INTID == l.intid {
				return true
			}
		}
	}
	return false
}

func (s *stages) eventSet(thread int, was set) bool {
	for i := range s.c.latches {
		if l := &s.c.latches[i]; l.thread == thread && l.intid == none {
			return s.set(l, was)
		}
	}
	return false
}
