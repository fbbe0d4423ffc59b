package bindings

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// A Team is hosts that run one script side by side. Each runs all of it, but of the runs of a comparison, or the points
// of a sample, only its share: at the end of a batch they wait for one another, and go on with the results of all. What
// cannot be shared, as an error or the end of the budget, each meets by itself, in its turn: so all hosts see the same,
// and whatever one of them prints is what one alone would print.
type Team struct {
	size   int
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	batches []*batch
	gone    chan struct{} // closed when the first host has come to its end
	leaving sync.Once
}

// A batch is one meeting of the hosts.
type batch struct {
	items  []item // each written by the host that it belongs to
	failed atomic.Int64
	done   atomic.Int64
	absent int           // hosts that are not through with their share
	ready  chan struct{} // closed when none is
}

// An item is what came of one run or point.
type item struct {
	host.Attempt
	value any
}

// NewTeam makes a team of some hosts, and the context in which they are to run.
func NewTeam(ctx context.Context, size int) (*Team, context.Context) {
	t := &Team{size: size, gone: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	return t, t.ctx
}

// Size is the number of hosts.
func (t *Team) Size() int { return t.size }

// Leave notes that the script of one host has ended with err. If that was not of the script's own doing, which the
// others do as well, they end too, for the same reason.
func (t *Team) Leave(err error) {
	var stopped *host.StoppedError
	var internal *host.InternalError
	switch {
	case errors.As(err, &stopped) && !errors.Is(err, host.ErrBudget):
		t.cancel(stopped.Err)
	case errors.As(err, &internal):
		t.cancel(internal)
	}
	t.leaving.Do(func() { close(t.gone) })
}

// Close ends what still runs.
func (t *Team) Close() { t.cancel(context.Canceled) }

// batch returns the n-th meeting, made by whoever comes first.
func (t *Team) batch(n, count int) *batch {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n == len(t.batches) {
		b := &batch{items: make([]item, count), absent: t.size, ready: make(chan struct{})}
		b.failed.Store(int64(count))
		t.batches = append(t.batches, b)
	}
	b := t.batches[n]
	if len(b.items) != count {
		panic("BUG: the hosts of one script have different things to do")
	}
	return b
}

// through notes that a host has done its share of a batch.
func (t *Team) through(b *batch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if b.absent--; b.absent == 0 {
		close(b.ready)
	}
}

// await waits for the other hosts. It raises an error if the run is to end.
func (t *Team) await(L *lua.LState, b *batch) {
	h := host.Of(L)
	select {
	case <-b.ready:
		return
	case <-t.gone:
	case <-h.Context().Done():
	}
	select {
	case <-b.ready:
		return
	default:
	}
	if h.Context().Err() == nil {
		panic("BUG: the hosts of one script have gone different ways")
	}
	for !h.Stopped() {
		runtime.Gosched() // the context tells the run from another goroutine
	}
	api.Spend(L, 0) // raises
}

// share computes count values, of which a host that is one of a team takes every size-th. compute raises errors of the
// script; what it returns is used by all hosts, and must not be changed. Inside of a value that a host computes for all
// nothing is shared: the others do not come there.
func share[T any](L *lua.LState, s *Session, count int, compute func(L *lua.LState, i int) T) []T {
	values := make([]T, count)
	if s.Team == nil || s.Team.size == 1 || s.inShare {
		for i := range values {
			values[i] = compute(L, i)
			s.count(i+1, count)
		}
		return values
	}
	h, b := host.Of(L), s.Team.batch(s.batches, count)
	s.batches++
	for i := s.Member; i < count && int64(i) < b.failed.Load(); i += s.Team.size {
		it := &b.items[i]
		it.Attempt = h.Attempt(L, func(L *lua.LState) {
			s.inShare = true
			defer func() { s.inShare = false }()
			it.value = compute(L, i)
		})
		if !it.Done {
			b.fail(i)
		}
		s.count(int(b.done.Add(1)), count)
	}
	s.Team.through(b)
	s.Team.await(L, b)
	for i := range values {
		if it := &b.items[i]; h.Accept(L, it.Attempt) {
			values[i] = it.value.(T)
		} else {
			values[i] = compute(L, i)
		}
	}
	return values
}

// fail notes that item i has failed: none behind it matters any more.
func (b *batch) fail(i int) {
	for {
		first := b.failed.Load()
		if int64(i) >= first || b.failed.CompareAndSwap(first, int64(i)) {
			return
		}
	}
}

// count tells how much of a batch is done.
func (s *Session) count(done, of int) {
	if s.Count != nil {
		s.Count(done, of)
	}
}

// mustShare refuses a function of the script that is called once for each run, if it does what hosts that share the
// runs cannot see of one another.
func mustShare(L *lua.LState, s *Session, by, what string, fn *lua.LFunction) {
	if s.Team == nil || s.Team.size == 1 || fn == nil {
		return
	}
	if effects := host.Of(L).Effects(fn); len(effects) > 0 {
		api.Errorf(L, "%s: %s %v, and its runs are shared among %d hosts that do not see one another: return what is to "+
			"be known, or run with -j 1", by, what, effects[0], s.Team.size)
	}
}

// mustBeOutside refuses what is declared inside a run that hosts share: only one of them would know of it.
func mustBeOutside(L *lua.LState, s *Session, by string) {
	if s.Team != nil && s.Team.size > 1 && s.run != (Run{}) {
		api.Errorf(L, "%s: called inside a run of %q, and its runs are shared among %d hosts: call it afterwards, or run "+
			"with -j 1", by, s.run.Name, s.Team.size)
	}
}
