package host

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Limits end a run that uses too much; no pcall holds them up. The zero value sets none. A script that is not trusted
// needs both, and a context with a deadline: a budget of instructions does not bound memory, since a string that is
// appended to itself reaches 2 GiB within a hundred of them.
type Limits struct {
	// Instructions is how many instructions of the Lua virtual machine one run may execute, in the main script, in its
	// coroutines and in programs on threads together; 0: any number. What library functions do in one instruction is
	// charged too: each step of a pattern match, each comparison of a sort, each workPerInstruction bytes of a string
	// that is built. A run ends at the same instruction each time.
	Instructions int64

	// Memory is how many bytes the heap and the stacks of the process may hold while a run is under way; 0: any number.
	// It is the process that is measured, because the collector cannot tell which host an object belongs to. Where
	// exactly a run meets this limit differs from time to time.
	Memory int64
}

// LimitError is what a StoppedError wraps if a limit has ended the run.
type LimitError struct {
	Msg string
	Err error // what the limit is to errors.Is, such as context.DeadlineExceeded; may be nil
}

func (e *LimitError) Error() string { return e.Msg }

// Unwrap returns Err.
func (e *LimitError) Unwrap() error { return e.Err }

// ErrBudget is what the limit of instructions is to errors.Is: unlike others it ends a run at the same place each time.
var ErrBudget = errors.New("the budget is used up")

const (
	// workPerInstruction is how many bytes are copied about as fast as an instruction is executed.
	workPerInstruction = 64

	// maxString is the longest string that library functions build: that takes some 100 ms.
	maxString = 1 << 28

	// memoryInterval is how many instructions lie between two readings of memory. In between a script can make no more
	// than a few MB of small objects; what is large is announced by grow.
	memoryInterval = 256

	// memoryGrain is how many bytes of small strings may be built between two readings.
	memoryGrain = 1 << 16
)

// meter counts what a run uses. It belongs to whichever goroutine the run is on.
type meter struct {
	fuel    int64 // instructions until the next checkpoint
	left    int64 // instructions of the budget after that
	built   int64 // bytes of strings since memory was read
	samples [2]metrics.Sample
}

// start makes the meter ready for a run. Memory is not read before some instructions have had time to free it.
func (m *meter) start(limits Limits) {
	m.left, m.built = math.MaxInt64, 0
	if limits.Instructions > 0 {
		m.left = limits.Instructions
	}
	m.samples[0].Name = "/memory/classes/heap/objects:bytes"
	m.samples[1].Name = "/memory/classes/heap/stacks:bytes"
	m.refuel(limits)
}

// refuel moves instructions of the budget to where they are spent.
func (m *meter) refuel(limits Limits) {
	m.fuel = m.left
	if limits.Memory > 0 {
		m.fuel = min(m.left, memoryInterval)
	}
	m.left -= m.fuel
}

// memory returns the bytes in use. It takes some 200 ns, and does not stop other goroutines.
func (m *meter) memory() int64 {
	metrics.Read(m.samples[:])
	return int64(m.samples[0].Value.Uint64() + m.samples[1].Value.Uint64())
}

// limited reports whether scripts are compiled with checks; see checker.
func (l Limits) limited() bool { return l != Limits{} }

// checkpoint is reached when the fuel is overdrawn. It ends the run if a limit is reached.
func (h *Host) checkpoint() {
	m, limits := &h.meter, h.opts.Limits
	overdrawn := -m.fuel
	if m.left < overdrawn {
		h.run.spent = h.run.spent || !h.run.stopped.Load()
		h.run.end(&LimitError{fmt.Sprintf("the budget of %d instructions is used up", limits.Instructions), ErrBudget})
		return
	}
	m.left -= overdrawn
	m.refuel(limits)
	h.checkMemory(0)
}

// checkMemory ends the run if it has reached the limit of memory, or would with so many bytes more.
func (h *Host) checkMemory(more int64) {
	if h.run.stopped.Load() && h.run.grace.Load() <= 0 {
		return
	}
	if limit := h.memoryFull(more); limit != nil {
		h.run.end(limit)
	}
}

// memoryFull returns an error if the limit of memory is reached, or would be with so many bytes more. What counts is
// what survives a collection, and an eighth must be left then: collections would follow one another otherwise.
func (h *Host) memoryFull(more int64) *LimitError {
	limit := h.opts.Limits.Memory
	if limit == 0 || h.meter.memory()+more <= limit {
		return nil
	}
	h.sweep()
	h.stacks = nil
	runtime.GC()
	if h.meter.memory()+more <= limit-limit/8 {
		return nil
	}
	return &LimitError{Msg: fmt.Sprintf("the memory limit of %s is reached", bytesText(limit))}
}

// bytesText writes a size in the largest binary unit that keeps it whole.
func bytesText(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; n%1024 == 0 && n > 0 && i < len(units)-1; i++ {
		n /= 1024
	}
	return fmt.Sprintf("%d %s", n, units[i])
}

// charge spends n instructions.
func (s *scope) charge(n int) {
	if s.host.meter.fuel -= int64(n); s.host.meter.fuel < 0 {
		s.host.checkpoint()
	}
}

// Spend implements api.Scope. It charges n instructions for the work of the running Go function, and raises an error if
// the run is to end. What may take more than some ms calls it again and again: it is also how cancellation reaches Go
// functions.
func (s *scope) Spend(L *lua.LState, n int) {
	s.charge(n)
	if s.thread != nil && s.host.run.stopped.Load() {
		s.host.run.grace.Add(-int64(n))
	}
	s.poll(L)
}

// poll raises an error if the thread is to end.
func (s *scope) poll(L *lua.LState) {
	if err := s.Err(); err != nil {
		L.RaiseError("%s", err)
	}
}

// grow is called before n bytes are added to a string that then has total bytes.
func (s *scope) grow(L *lua.LState, n, total int) {
	s.Spend(L, n/workPerInstruction)
	if total > maxString {
		L.RaiseError("a string of %d bytes: the longest has %s", total, bytesText(maxString))
	}
	m := &s.host.meter
	if m.built += int64(n); m.built > memoryGrain {
		m.built = 0
		s.host.checkMemory(int64(total))
		s.poll(L)
	}
}

// textBuilder builds a string of pieces, which it joins at the end: one that does not fit into memory is never made.
type textBuilder struct {
	scope  *scope
	L      *lua.LState
	length int
	pieces []string
	first  [8]string // where pieces is, mostly
}

func newText(L *lua.LState) textBuilder { return textBuilder{scope: scopeOf(L), L: L} }

func (t *textBuilder) add(piece string) {
	if piece == "" {
		return
	}
	if t.pieces == nil {
		t.pieces = t.first[:0]
	}
	t.length += len(piece)
	t.scope.grow(t.L, len(piece), t.length)
	t.pieces = append(t.pieces, piece)
}

func (t *textBuilder) join() string { return strings.Join(t.pieces, "") }

// Text is a text that Go code writes for a script, within the limits of the run: if they end it, or the text gets
// longer than any string, the rest is dropped.
type Text struct {
	host   *Host
	pieces [][]byte
	length int
	long   bool
}

// NewText returns an empty text.
func NewText(h *Host) *Text { return &Text{host: h} }

// Write implements io.Writer.
func (t *Text) Write(p []byte) (int, error) {
	const grain = 1 << 12
	if t.host.Stopped() {
		return len(p), nil
	}
	if t.length+len(p) > maxString {
		t.long = true
		return len(p), nil
	}
	t.length += len(p)
	t.host.main.charge(1 + len(p)/workPerInstruction)
	last := len(t.pieces) - 1
	if last < 0 || len(t.pieces[last])+len(p) > cap(t.pieces[last]) {
		if t.host.checkMemory(max(grain, int64(len(p)))); t.host.Stopped() {
			return len(p), nil
		}
		t.pieces = append(t.pieces, make([]byte, 0, max(grain, len(p))))
		last++
	}
	t.pieces[last] = append(t.pieces[last], p...)
	return len(p), nil
}

// Join returns the text. It fails if it was too long.
func (t *Text) Join() (string, error) {
	if t.long {
		return "", fmt.Errorf("the text is longer than %s", bytesText(maxString))
	}
	if t.host.checkMemory(int64(t.length)); t.host.Stopped() {
		return "", nil
	}
	var out strings.Builder
	out.Grow(t.length)
	for _, piece := range t.pieces {
		out.Write(piece)
	}
	return out.String(), nil
}

// index is called before a table's value at key is set: the virtual machine fills an array up to the key.
func (s *scope) index(L *lua.LState, key lua.LValue) {
	const harmless, slot = 1 << 16, 16 // bytes
	n, ok := key.(lua.LNumber)
	if !ok || n <= harmless || n >= lua.LNumber(lua.MaxArrayIndex) {
		return
	}
	s.host.checkMemory(int64(n) * slot)
	s.poll(L)
}
