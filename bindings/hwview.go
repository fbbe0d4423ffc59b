package bindings

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// specValues is what a script sees of a machine's Spec.
type specValues struct {
	Name                           string
	CPUs                           int `lua:"cpus"`
	Sockets, Dies, Clusters, Cores int
	Affinities                     machine.Affinities
	ClockHz                        uint64 `lua:"clock_hz"`
	RAMBase                        uint64 `lua:"ram_base"`
	RAMSize                        uint64 `lua:"ram_size"`
	Seed                           uint64
	Jitter                         bool
	StoreBuffer                    int
	OuterModel                     cpu.OuterModel
	OuterWindow                    int
	Latencies                      []latencyValues
	Costs                          []costValues
}

// latencyValues is one latency of a Spec.
type latencyValues struct {
	Name                     string
	LowPs, TypicalPs, HighPs int64
	Varies                   bool
	Origin                   machine.Origin
	Source, Absorbs          string
}

// costValues is the cost of a piece of straight-line code.
type costValues struct {
	Name               string
	Unit               linux.CostUnit
	Low, Typical, High int64
	Origin             machine.Origin
}

func viewSpec(s *machine.Spec) specValues {
	v := specValues{
		Name: s.Name, CPUs: s.CPUs, Sockets: s.Sockets, Dies: s.Dies, Clusters: s.Clusters, Cores: s.Cores,
		Affinities: affinities(s), ClockHz: uint64(s.Clock), RAMBase: s.RAMBase, RAMSize: s.RAMSize,
		Seed: s.Seed, Jitter: s.Jitter,
		StoreBuffer: s.StoreBuffer, OuterModel: s.OuterModel, OuterWindow: s.OuterWindow,
	}
	for i := range s.Latency {
		if s.Lacks(machine.LatencyName(i)) {
			continue
		}
		l := &s.Latency[i]
		v.Latencies = append(v.Latencies, latencyValues{
			machine.LatencyName(i).String(), int64(l.Low), int64(l.Mean), int64(l.High), l.Varies, l.Origin, l.Source,
			l.Absorbs,
		})
	}
	for _, c := range s.Costs.List() {
		v.Costs = append(v.Costs, costValues{c.Name, c.Unit, c.Low, c.Typical, c.High, machine.OriginOf(c)})
	}
	return v
}

var specClass = api.NewRecord[specValues]("Spec", "What a machine was built from.",
	`hw.machine("virt").spec`, map[string]string{
		"name": "Name of the preset, or custom.", "cpus": "Number of CPUs.", "sockets": "Number of sockets.",
		"dies": "Dies of a socket.", "clusters": "Clusters of a die.", "cores": "Cores of a cluster.",
		"affinities": "How MPIDR_EL1 numbers the CPUs: flat or cores.", "clock_hz": "Clock of the CPUs in Hz.",
		"ram_base": "Physical address of the RAM.", "ram_size": "Bytes of RAM.",
		"seed": "Seed of the jitter.", "jitter": "Whether latencies vary.", "latencies": "The machine's latencies.",
		"latencies.name": "Name, as in the option table latency.", "latencies.low_ps": "Low end of its range in ps.",
		"latencies.typical_ps": "Typical value in ps, the mean of those that vary.",
		"latencies.high_ps":    "High end of its range in ps.",
		"latencies.varies":     "Whether each transfer takes another time of the range; else the range is what is not known.",
		"latencies.origin":     "Sourced, assumed, fitted or given.", "latencies.source": "Where the value comes from.",
		"latencies.absorbs": "Of a fitted one, what beside itself it stands for; else empty.",
		"store_buffer":      "Entries of a CPU's store buffer.",
		"outer_model":       "What a DSB beyond the inner-shareable domain waits for beside drains.",
		"outer_window":      "Of outer_model pipelined: acknowledgements under way at a time.",
		"costs":             "What is assumed of the kernel's functions.",
		"costs.unit":        "Cycles of the clock, or lines of stack.",
		"costs.name":        "Name, as in the option table linux.costs.",
		"costs.low":         "Low end of its range.", "costs.typical": "Typical value.",
		"costs.high": "High end of its range.", "costs.origin": "Assumed or given.",
	})

// threadOf is the CPU whose program or handler runs on L, nil on the main thread.
func threadOf(L *lua.LState) *cpuObject {
	t := host.ThreadOf(L)
	if t == nil {
		return nil
	}
	c, _ := t.Owner.(*cpuObject)
	return c
}

// textTracer writes records as text: time since the boot in ns, who, what.
type textTracer struct {
	m      *machine.Machine
	trace  *Trace
	calls  int  // calls of kernel functions still to be written, if trace.Calls is not 0
	inside bool // in such a call
}

// callRecord begins the records of kernel functions that programs call, returnRecord those of their ends.
const (
	callRecord   = "call "
	returnRecord = "return from "
)

// Wants is sim.Tracer.
func (t *textTracer) Wants() sim.Kinds { return sim.Of(sim.Step) }

// Trace is sim.Tracer.
func (t *textTracer) Trace(r *sim.Record) {
	at, source, what := t.m.Since(r.At), r.Source, r.Text
	if from, to := sim.Time(t.trace.From), sim.Time(t.trace.To); at < from || to != 0 && at >= to {
		return
	}
	if t.trace.Calls > 0 {
		if strings.HasPrefix(what, callRecord) && t.calls > 0 {
			t.calls--
			t.inside = true
		}
		if !t.inside {
			return
		}
		if t.calls == 0 && strings.HasPrefix(what, returnRecord) {
			t.inside = false
		}
	}
	fmt.Fprintf(t.trace.Out, "%14s  %-7s %s\n", at.Nanoseconds(), source, what)
	t.trace.Records++
}

// trace traces a new machine as text.
func (m *machineObject) trace(t *Trace, run Run) {
	fmt.Fprintf(t.Out, "# %s on %s: ns since the boot, who, what\n", run, m.Spec.Name)
	m.Engine.Attach(&textTracer{m: m.Machine, trace: t, calls: t.Calls})
}

func machineTrace(L *lua.LState) int {
	m := machineAt(L)
	m.mustSeeNone(L, "Machine:trace")
	text := host.NewText(m.host)
	m.Engine.Attach(&textTracer{m: m.Machine, trace: &Trace{Out: text}})
	defer m.Engine.Detach()
	L.Push(api.FunctionAt(L, 2))
	L.Call(0, 0)
	joined, err := text.Join()
	if err != nil {
		api.Errorf(L, "Machine:trace: %v; trace fewer steps", err)
	}
	L.Push(lua.LString(joined))
	return 1
}
