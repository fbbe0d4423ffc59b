package explore

import (
	"sync"
	"sync/atomic"
)

// runTasks runs numbered tasks on all workers, the first of which is w, and answers their reports in the tasks' order.
// Each worker has a subject of its own, and a task begins from nothing that an earlier one has left: so who runs which
// makes no difference.
func runTasks(
	w *walker, build func() (Subject, error), count int, run func(worker *walker, task int, shared *walker),
) ([]Report, error) {
	shared := *w
	reports := make([]Report, count)
	workers := min(w.options.Workers, count)
	errs, panics := make([]error, workers), make([]any, workers)
	var next atomic.Int64
	work := func(worker *walker) {
		for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
			run(worker, i, &shared)
			reports[i] = worker.report
			if worker.diverged != nil {
				return
			}
		}
	}
	var group sync.WaitGroup
	for k := 1; k < workers; k++ {
		group.Add(1)
		go func() {
			defer group.Done()
			defer func() { panics[k] = recover() }()
			s, err := build()
			if err != nil {
				errs[k] = err
				return
			}
			defer s.Engine().Close()
			worker := newWalker(s, shared.options, shared.mode)
			work(worker)
			if worker.diverged != nil {
				errs[k] = worker.diverged
			}
		}()
	}
	work(w)
	group.Wait()
	for k := range workers {
		if panics[k] != nil {
			panic(panics[k])
		}
		if errs[k] != nil {
			return nil, errs[k]
		}
	}
	return reports, nil
}
