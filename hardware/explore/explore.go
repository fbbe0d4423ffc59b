package explore

// serialExecutions are explored on one core before the tree is cut for all: starting workers costs more.
const serialExecutions = 4096

// Explore executes a subject in every order that matters. build makes one subject for each worker; it is called from
// several goroutines.
func Explore(o Options, build func() (Subject, error)) (*Report, error) {
	o = o.withDefaults()
	s, err := build()
	if err != nil {
		return nil, err
	}
	w := newWalker(s, o, reduced)
	defer w.end()
	r, err := search(w, build)
	if w.diverged != nil {
		return nil, w.diverged
	}
	return r, err
}

func search(w *walker, build func() (Subject, error)) (*Report, error) {
	switch w.options.Strategy {
	case Random:
		return sample(w, build)
	case Bounded:
		return deepen(w, build)
	case Exhaustive:
		return exhaust(w, build)
	}
	w.reset(plain)
	w.search(w.options.Executions)
	r := w.report
	r.Bound = -1
	return &r, nil
}

// end leaves the subject without coroutines. It can be executed again.
func (w *walker) end() {
	w.engine.Rewind(w.start)
	w.engine.Close()
}

// exhaust explores with full reduction, first on one core.
func exhaust(w *walker, build func() (Subject, error)) (*Report, error) {
	w.reset(reduced)
	if w.search(min(serialExecutions, w.options.Executions)) || w.options.Executions <= serialExecutions ||
		w.report.Limits&Stopped != 0 || w.diverged != nil {
		r := w.report
		r.Bound = -1
		return &r, nil
	}
	total := w.cutTree()
	parts, err := runTasks(w, build, len(w.tasks), func(w *walker, i int, shared *walker) {
		w.load(&shared.tasks[i], &shared.objects, reduced)
		w.search(max(1, w.options.Executions/len(shared.tasks)))
	})
	for i := range parts {
		total.add(&parts[i])
	}
	total.Bound = -1
	return total, err
}

// wantedTasks is how many subtrees there should at least be, and deepestCut how deep the cut may go for it.
const (
	wantedTasks = 64
	deepestCut  = 40
)

// cutTree cuts the tree at a depth at which there are enough subtrees. It answers what was explored above.
func (w *walker) cutTree() *Report {
	for w.cutAt = 4; ; w.cutAt += 4 {
		w.reset(cutting)
		w.search(w.options.Executions)
		if w.diverged != nil || len(w.tasks) >= wantedTasks || w.cutAt >= deepestCut || len(w.tasks) == 0 {
			r := w.report
			return &r
		}
	}
}

// reset makes the walker begin at the root.
func (w *walker) reset(m mode) {
	w.mode, w.report, w.nodes, w.fresh, w.base, w.tasks = m, Report{}, w.nodes[:0], 0, 0, nil
}

// deepen explores with growing bounds on preemptions, until a bound has a failure or no order was left out.
func deepen(w *walker, build func() (Subject, error)) (*Report, error) {
	const last = 2 // with more, the full exploration is as cheap
	for bound := 0; ; bound++ {
		if w.options.Preemptions < 0 && bound > last {
			return exhaust(w, build)
		}
		w.reset(bounding)
		w.bound = bound
		w.search(w.options.Executions)
		w.bound = -1
		r := w.report
		r.Bound = bound
		found := w.diverged != nil || r.Failure != nil
		settled := r.Limits == 0 || r.Limits&^PreemptionLimit != 0
		if found || settled || bound == w.options.Preemptions {
			return &r, nil
		}
	}
}

// sampleBlock is the number of random executions after which the search looks for a failure: a failure that a worker
// finds early must not depend on how many workers there are.
const sampleBlock = 512

// sample makes random executions, in rounds of some blocks, until one has a failure.
func sample(w *walker, build func() (Subject, error)) (*Report, error) {
	w.reset(replay)
	w.script = &reader{}
	w.execute()
	length := w.depth
	total := &Report{Limits: Sampled, Bound: -1}
	const round = 8
	for first := 0; first < w.options.Executions; first += round * sampleBlock {
		if total.Failure != nil || total.Limits&Stopped != 0 {
			break
		}
		blocks := min(round, (w.options.Executions-first+sampleBlock-1)/sampleBlock)
		parts, err := runTasks(w, build, blocks, func(w *walker, i int, _ *walker) {
			from := first + i*sampleBlock
			w.sampleRange(from, min(from+sampleBlock, w.options.Executions), length)
		})
		if err != nil {
			return nil, err
		}
		for i := range parts {
			total.add(&parts[i])
		}
	}
	return total, nil
}

func (w *walker) sampleRange(from, to, length int) {
	w.reset(sampling)
	for i := from; i < to; i++ {
		w.nodes = w.nodes[:0]
		w.random = newPriorities(w.options.Seed, uint64(i), length)
		w.execute()
		if w.options.Stop != nil && i&0x3f == 0 && w.options.Stop() {
			w.report.Limits |= Stopped
			return
		}
	}
}

// Replay repeats one execution of a subject and answers what it came to, and its steps.
func Replay(s Subject, o Options, schedule Schedule) (Verdict, int) {
	w := newWalker(s, o.withDefaults(), replay)
	w.script = &reader{schedule: schedule}
	defer w.end()
	v := w.execute()
	return v, w.depth
}
