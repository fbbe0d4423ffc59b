package bindings

import (
	"fmt"
	"io"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

// A Session is what the modules of one host share: where results go, and which run of which case is under way.
type Session struct {
	Report  *result.Report // Seed is set by NewHost
	Figures []Figure       // what bench.published knows
	// Where machines are traced to, each nil for nowhere.
	Trace    *Trace
	Folded   *FoldedFile
	Timeline *TraceFile

	// Progress, if set, is told what a comparison is doing; "" says that it is done. Count, if set, is told how many of
	// its runs are done, by whichever host of the team has done one.
	Progress func(text string)
	Count    func(done, of int)

	// Team, if set, are the hosts that run the script, of which this session's is number Member, from 0.
	Team   *Team
	Member int

	// Replay, if set, is the one execution that is to be repeated: the script ends with its counterexample.
	Replay *explore.Token

	// DescribeOnly makes the script end at bench.params, or where it would start to work without having called it.
	DescribeOnly bool

	// Interactive lets the script's work be repeated: a REPL user calls bench.params and bench.compare again and again.
	Interactive bool

	batches   int  // that the team has met for
	inShare   bool // a value is being computed here that the team shares
	run       Run
	constants constants // of the machines made in the comparison's present case
	declared  []Param
	hasParams bool // bench.params was called
	compared  bool // bench.compare was called
	cases     bool // and has begun a run of a case
	remarks   []machineRemarks
}

// ReadReplay understands a replay token, "" for none, and makes the parameters and the seed those of the execution that
// it names.
func (s *Session) ReadReplay(text string, params *[]string, seed *uint64) error {
	if text == "" {
		return nil
	}
	token, err := explore.ParseToken(text)
	if err != nil {
		return &host.UsageError{Msg: fmt.Sprintf("--replay %s: %v", text, err)}
	}
	s.Replay, *seed = &token, token.Seed
	if token.Params != "" {
		*params = append(strings.Split(token.Params, "\n"), *params...)
	}
	return nil
}

// explores tells how far an exploration is, "" that it is done.
func (s *Session) explores(name, text string) {
	if s.Progress != nil {
		if text != "" {
			text = name + ": " + text
		}
		s.Progress(text)
	}
}

// NewHost makes a host with all modules besides those of the options, whose scripts work in this session.
func NewHost(s *Session, opts host.Options) (*host.Host, error) {
	opts.Modules = append(Modules(), opts.Modules...)
	s.Report.Seed = opts.Seed
	h, err := host.New(opts)
	if err != nil {
		return nil, err
	}
	sessionOf.Set(h.State(), s)
	return h, nil
}

// Modules returns the descriptors of all modules.
func Modules() []*api.Module {
	return []*api.Module{hwModule, benchModule, exploreModule, CheckModule, U64Module}
}

// sessionOf finds the session of a Lua state.
var sessionOf api.Local[*Session]

func session(L *lua.LState) *Session {
	s, ok := sessionOf.Get(L)
	if !ok {
		panic("BUG: bindings: this Lua state has no session")
	}
	return s
}

// A Run says which simulation is under way. The zero value stands for work outside bench.compare.
type Run struct {
	Name, Case string
	Index      int  // from 1
	Point      bool // of a study: one of hundreds of simulations
}

func (r Run) String() string {
	if r.Index == 0 {
		return "no comparison"
	}
	return fmt.Sprintf("%s: %s, run %d", r.Name, r.Case, r.Index)
}

// A Trace says what of each case's first run is written as text: what happens from From up to and without To, in
// picoseconds of simulated time, or, if Calls is not 0, the first so many calls of kernel functions by programs.
type Trace struct {
	Out      io.Writer
	From, To int64
	Calls    int

	Records int // how many have been written so far, of all machines
}

// Missed says what has not come that should have been traced.
func (t *Trace) Missed() string {
	if t.Calls > 0 {
		return "no program called smp_call_function_single; --trace-window 0us..10us traces a span"
	}
	return fmt.Sprintf("nothing happened from %s ns to %s ns after a boot", sim.Time(t.From).Nanoseconds(),
		sim.Time(t.To).Nanoseconds())
}

// traces reports whether machines made now are traced: of each case only the first run is, and of a script that
// compares cases nothing beside them.
func (s *Session) traces() bool {
	return !s.run.Point && s.run.Index <= 1 && (s.run.Index == 1 || !s.cases)
}

// attach makes a new machine be traced as the user wants it.
func (s *Session) attach(m *machineObject) {
	if !s.traces() {
		return
	}
	if s.Trace != nil {
		m.trace(s.Trace, s.run)
	}
	if s.Folded != nil {
		s.Folded.attach(m.Machine, s.run)
	}
	if s.Timeline != nil {
		s.Timeline.attach(m.Machine, s.run)
	}
}

// Run returns the run under way.
func (s *Session) Run() Run { return s.run }

// begin starts a run, until the function that it returns is called.
func (s *Session) begin(h *host.Host, r Run) (end func()) {
	s.run, s.constants = r, nil
	s.cases = s.cases || !r.Point
	restore := h.Reseed(s.RunSeed())
	return func() {
		restore()
		s.run = Run{}
	}
}

// RunSeed returns the seed of machines made now. Run i of every case has the same seed: the cases then meet the same
// jitter, wherever they make the same transfers. Work outside bench.compare has the seed of the first run.
func (s *Session) RunSeed() uint64 {
	const golden = 0x9e3779b97f4a7c15 // SplitMix64's increment; Mix adds it once itself
	return sim.Mix(s.Report.Seed + uint64(max(s.run.Index, 1)-1)*golden)
}

// Declared returns the parameters of the script, in order, and whether it has called bench.params.
func (s *Session) Declared() ([]Param, bool) { return s.declared, s.hasParams }

// describing ends the script where it starts to work, if only its parameters are wanted.
func (s *Session) describing(L *lua.LState) {
	if s.DescribeOnly {
		api.Raise(L, ErrDescribed)
	}
}
