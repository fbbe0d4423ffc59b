package host

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// Options configure a Host. The zero value is a host without modules and without output.
type Options struct {
	Modules []*api.Module
	Preload bool              // the modules are globals from the start, as in the REPL
	Stdout  io.Writer         // where print writes; nil: nowhere
	Stderr  io.Writer         // where failed checks and notes go; nil: nowhere
	Seed    uint64            // of math.random, and of whatever modules derive from it
	Params  map[string]string // the script's parameters as given by the user
	Args    []string          // the global table arg
	FS      fs.FS             // where require finds .lua files; nil: nowhere. os.OpenRoot(dir).FS() confines it to dir
	Dir     string            // the folder of FS as the user names it: errors put it before the names of files in it
	Limits  Limits            // what one run may use
}

// The sizes of the Lua stacks: calls, and values ("registry"). Recursion to a depth of 4,000 and unpack of a million
// values fit. The library's default of a fixed 5,120 values would make host.New cheaper by little and fail both; a
// registry made at its full size costs 16 MB. Growing copies it, hence the large steps. Programs of simulated CPUs and
// coroutines are many and small, so theirs begin small.
const (
	callStackSize      = 4096
	mainRegistrySize   = 1 << 15
	mainRegistryMax    = 1<<20 + 1<<18
	mainRegistryStep   = 1 << 18
	threadRegistrySize = 1 << 10
	threadRegistryMax  = 1 << 18
	threadRegistryStep = 1 << 13
	levelRegistrySize  = 1 << 7
	levelRegistryStep  = 1 << 12
)

// levelOptions are those of stacks for calls under protection, which are many.
var levelOptions = lua.Options{
	CallStackSize:       callStackSize,
	RegistrySize:        levelRegistrySize,
	RegistryMaxSize:     mainRegistryMax,
	RegistryGrowStep:    levelRegistryStep,
	MinimizeStackMemory: true,
}

// Host is a Lua state with its modules.
type Host struct {
	opts     Options
	state    *lua.LState
	main     *scope
	run      *run
	busy     bool // the run is under way
	meter    meter
	globals  *lua.LTable
	library  map[string]*lua.LTable // of the language, by name
	modules  map[string]*api.Module
	loaded   map[string]lua.LValue // by require
	loading  []string              // files that require is running, outermost first
	chunks   map[string]bool       // names of compiled sources
	random   *rand.Rand
	free     []*Thread
	failures int
	noted    *[]string // where Fail writes during an Attempt; nil: to Stderr
	early    bool      // the Attempt has written to standard output
	muted    bool      // see Mute

	resources *resources

	predefined map[string]bool // globals that were there from the start
	declared   map[string]bool // globals that may be nil: see Input
	reference  *api.Reference  // made when first asked for
	width      func() int      // of the prompt's lines; nil: there is none

	helpers  [helperCount]*lua.LFunction // see rewrite.go
	effectOf map[*lua.LFunction]libraryEffect

	nested *lua.LFunction // raises the error for calls that nest too deep

	uses map[*lua.FunctionProto]*protoUses // of functions that were looked into; see Sharing

	guard, pass *lua.LFunction                // see protect.go
	stacks      []*lua.LState                 // that are free
	holders     map[sourceLine]*lua.LFunction // of places
}

// New makes a host. It fails if two modules share a name, or one has the name of a standard library.
func New(opts Options) (*Host, error) {
	if opts.Stdout == nil {
		opts.Stdout = io.Discard
	}
	if opts.Stderr == nil {
		opts.Stderr = io.Discard
	}
	h := &Host{
		opts:    opts,
		modules: map[string]*api.Module{},
		loaded:  map[string]lua.LValue{},
		chunks:  map[string]bool{},

		predefined: map[string]bool{},
		declared:   map[string]bool{},
		random:     newRandom(opts.Seed),
		holders:    map[sourceLine]*lua.LFunction{},
		run:        &run{ctx: context.Background()},
		resources:  &resources{},
		uses:       map[*lua.FunctionProto]*protoUses{},
	}
	h.meter.start(Limits{}) // the limits are those of runs
	h.state = lua.NewState(lua.Options{
		CallStackSize:    callStackSize,
		RegistrySize:     mainRegistrySize,
		RegistryMaxSize:  mainRegistryMax,
		RegistryGrowStep: mainRegistryStep,
		SkipOpenLibs:     true,
	})
	// From here on these options are read for new threads only.
	h.state.Options = lua.Options{
		CallStackSize:       callStackSize,
		RegistrySize:        threadRegistrySize,
		RegistryMaxSize:     threadRegistryMax,
		RegistryGrowStep:    threadRegistryStep,
		MinimizeStackMemory: true,
	}
	h.main = &scope{host: h}
	api.Attach(h.state)
	ofState.Set(h.state, h)
	h.openLibraries()
	h.effectOf = libraryEffects(h.globals)
	for i, fn := range helperFunctions {
		h.helpers[i] = h.state.NewFunction(fn)
	}
	h.nested = h.state.NewFunction(nestedTooDeep)
	h.guard, h.pass = h.state.NewFunction(guardCall), h.state.NewFunction(pass)
	h.state.SetContext(h.main.context())
	for _, m := range opts.Modules {
		if h.modules[m.Name] != nil || h.globals.RawGetString(m.Name) != lua.LNil {
			h.Close()
			return nil, fmt.Errorf("host: module name %q is taken", m.Name)
		}
		h.modules[m.Name] = m
	}
	if opts.Preload {
		for _, m := range opts.Modules {
			h.globals.RawSetString(m.Name, h.module(m))
		}
	}
	for _, name := range h.globalNames() {
		h.predefined[name] = true
	}
	return h, nil
}

// Close frees the host. It returns ErrBusy inside a run, and ErrClosed if it has been called before.
func (h *Host) Close() error {
	if err := h.idle(); err != nil {
		return err
	}
	h.busy = true
	h.resources.closeAll()
	for _, t := range h.free {
		t.state.Close()
	}
	for _, on := range h.stacks {
		on.Close()
	}
	h.free, h.stacks = nil, nil
	h.state.Close()
	return nil
}

var ofState api.Local[*Host]

// Of returns the host whose script runs on L, for the functions of modules.
func Of(L *lua.LState) *Host {
	h, ok := ofState.Get(L)
	if !ok {
		panic("BUG: this Lua state belongs to no host")
	}
	return h
}

// State returns the main thread's Lua state, to read results from or to call functions of package api on.
func (h *Host) State() *lua.LState { return h.state }

// Modules returns the descriptors of the host's modules, in the order of Options.
func (h *Host) Modules() []*api.Module { return h.opts.Modules }

// Stdout returns the writer of print.
func (h *Host) Stdout() io.Writer { return h.opts.Stdout }

// Stderr returns the writer of notes and failed checks.
func (h *Host) Stderr() io.Writer { return h.opts.Stderr }

// Params returns the script's parameters as given by the user. The map is not to be changed.
func (h *Host) Params() map[string]string { return h.opts.Params }

// Seed returns the seed of the run.
func (h *Host) Seed() uint64 { return h.opts.Seed }

// Context returns the context of the present run.
func (h *Host) Context() context.Context { return h.run.ctx }

// Stopped reports whether the present run is to end because its context is done or a limit is reached. It is cheap
// enough to be polled by the loops of a simulation.
func (h *Host) Stopped() bool { return h.run.stopped.Load() }

// StopCause says why the present run is to end: the cause of its context's end, or a *LimitError; nil if it may go on.
func (h *Host) StopCause() error {
	if !h.Stopped() {
		return nil
	}
	return h.run.cause()
}

// StoppedAt says for the run's StoppedError where a simulation was stopped, such as "machine virt at 5 ns".
func (h *Host) StoppedAt(place string) { h.run.place = place }

// Fail reports a failure after which the script goes on, such as that of a check. The run then ends in a FailedError.
func (h *Host) Fail(text string) {
	if h.muted {
		return
	}
	if h.noted != nil {
		*h.noted = append(*h.noted, text)
		return
	}
	h.failures++
	fmt.Fprintln(h.opts.Stderr, text)
}
