package bindings

import (
	"fmt"
	"math"
	"strconv"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host/api"
)

var (
	latencySchema = &api.Schema{
		Name: "latency", Doc: "Latencies in ns: a number, or {low, mean, high} over which each one varies.",
		Options: latencyOptions(),
	}

	systemCacheSchema = &api.Schema{
		Name: "system_cache", Doc: "The cache before the memory of each node.",
		Options: []api.Param{
			api.Opt("kib", api.Int(0, 1<<20), "the preset's", "KiB on each node, 0 for none"),
			api.Opt("ways", api.Int(1, 64), "the preset's", "ways of a set"),
			api.Opt("line", api.Int(64, 128), "the preset's", "bytes of a line: 64 or 128"),
			api.Opt("whole_lines", api.Bool(), "false", "what a device writes of a part of a line is not put there, whatever "+
				"the hint"),
		},
	}

	// machineSchema is what hw.machine takes beside or instead of a preset.
	machineSchema = &api.Schema{
		Name: "hw.machine", Doc: "A topology, or what differs from a preset.",
		Options: append([]api.Param{
			api.Opt("cpus", api.Int(1, 4096), "all cores", "CPUs; a preset loses the sockets that would be empty"),
			api.Opt("sockets", api.Int(1, 4096), "1", "sockets"),
			api.Opt("dies", api.Int(1, 4096), "1", "dies of a socket"),
			api.Opt("clusters", api.Int(1, 4096), "1", "clusters of a die"),
			api.Opt("cores", api.Int(1, 4096), "16", "cores of a cluster"),
			api.Opt("clock_mhz", api.Int(1, 100_000), "2000", "clock of the CPUs in MHz"),
			api.Opt("store_buffer", api.Int(1, 1024), "16", "entries of a CPU's store buffer"),
			api.Opt("outer_model", outerModelWords.Type(), "none", "what a DSB beyond the inner-shareable domain waits for "+
				"beside drains"),
			api.Opt("outer_window", api.Int(1, 1024), strconv.Itoa(machine.OuterWindowTypical), "of outer_model pipelined: "+
				"acknowledgements under way at a time"),
			api.Opt("ram_mib", api.Int(2, 1<<16), "256", "RAM in MiB, even"),
			api.Opt("system_cache", api.OptionsOf(systemCacheSchema), "the preset's", "cache before the memory of each node"),
			api.Opt("jitter", api.Either(api.Bool(), api.Int(0, 1)), "true", "false or 0: every latency is its typical value"),
			api.Opt("seed", api.U64(), "the run's", "seed of the jitter"),
			api.Opt("boot", api.Bool(), "true", "false: reset values, no kernel has run"),
			api.Opt("latency", api.OptionsOf(latencySchema), "the preset's", "latencies in ns"),
			api.Opt("linux", api.OptionsOf(linuxSchema), "the preset's", "what patches change"),
		}, boardOptions...),
	}
)

var outerModelWords = func() (words api.Words[cpu.OuterModel]) {
	for i, name := range cpu.OuterModels() {
		words = append(words, api.Word[cpu.OuterModel]{Text: name, Value: cpu.OuterModel(i)})
	}
	return words
}()

func latencyOptions() []api.Param {
	var options []api.Param
	spread := api.TupleOf(
		api.P("low", api.Number(), "ns"), api.P("mean", api.Number(), "ns"), api.P("high", api.Number(), "ns"),
	)
	for i, name := range machine.LatencyNames() {
		options = append(options, api.Opt(name, api.Either(api.Number(), spread), "the preset's",
			machine.LatencyName(i).Doc()+", in ns"))
	}
	return options
}

// changeSpec applies a script's changes.
func changeSpec(spec *machine.Spec, o api.Values) error {
	topology := false
	for _, f := range [...]struct {
		name string
		to   *int
	}{{"sockets", &spec.Sockets}, {"dies", &spec.Dies}, {"clusters", &spec.Clusters}, {"cores", &spec.Cores}} {
		topology = topology || o.Has(f.name)
		*f.to = int(o.Int(f.name, int64(*f.to)))
	}
	if topology || spec.CPUs == 0 {
		spec.CPUs = spec.Sockets * spec.Dies * spec.Clusters * spec.Cores
	}
	spec.CPUs = int(o.Int("cpus", int64(spec.CPUs)))
	if perSocket := spec.Dies * spec.Clusters * spec.Cores; !topology && perSocket > 0 {
		spec.Sockets = min(spec.Sockets, (spec.CPUs+perSocket-1)/perSocket)
	}
	spec.Clock = sim.Freq(o.Int("clock_mhz", int64(spec.Clock/sim.Megahertz))) * sim.Megahertz
	spec.StoreBuffer = int(o.Int("store_buffer", int64(spec.StoreBuffer)))
	if m, ok := outerModelWords.Lookup(o.String("outer_model", "")); ok {
		spec.OuterModel = m
	}
	spec.OuterWindow = int(o.Int("outer_window", int64(spec.OuterWindow)))
	spec.RAMSize = uint64(o.Int("ram_mib", int64(spec.RAMSize>>20))) << 20
	cache := o.Sub("system_cache")
	spec.SystemCache.Size = uint64(cache.Int("kib", int64(spec.SystemCache.Size>>10))) << 10
	spec.SystemCache.Ways = int(cache.Int("ways", int64(spec.SystemCache.Ways)))
	spec.SystemCache.LineSize = uint64(cache.Int("line", int64(spec.SystemCache.LineSize)))
	spec.SystemCache.WholeLines = cache.Bool("whole_lines", spec.SystemCache.WholeLines)
	if o.Has("jitter") {
		v := o.Get("jitter")
		spec.Jitter = v == lua.LTrue || v == lua.LNumber(1)
	}
	spec.Seed = o.U64("seed", spec.Seed)
	changeLinux(spec, o.Sub("linux"))
	if spec.RAMSize%(2<<20) != 0 {
		return fmt.Errorf("ram_mib: expected an even number, got %d", spec.RAMSize>>20)
	}
	if err := changeBoard(spec, o); err != nil {
		return err
	}
	return changeLatencies(spec, o.Sub("latency"))
}

func changeLatencies(spec *machine.Spec, o api.Values) error {
	for i, name := range machine.LatencyNames() {
		if !o.Has(name) {
			continue
		}
		values := [3]lua.LValue{o.Get(name), o.Get(name), o.Get(name)}
		if t, ok := o.Get(name).(*lua.LTable); ok {
			values = [3]lua.LValue{t.RawGetInt(1), t.RawGetInt(2), t.RawGetInt(3)}
		}
		var ps [3]sim.Time
		for k, v := range values {
			t, ok := picoseconds(float64(v.(lua.LNumber)))
			if !ok {
				return fmt.Errorf("latency.%s: expected 0 ns to 1 s in whole ps, got %v ns", name, v)
			}
			ps[k] = t
		}
		spec.Latency[i] = machine.Latency{
			Spread: sim.Spread{Low: ps[0], Mean: ps[1], High: ps[2]}, Varies: ps[0] != ps[2],
			Origin: machine.Given, Source: "the script",
		}
	}
	return nil
}

// picoseconds turns a script's nanoseconds into time, if they are a whole number of picoseconds up to a second.
func picoseconds(ns float64) (sim.Time, bool) {
	ps := ns * 1000
	whole := math.Round(ps)
	if !(whole >= 0 && whole <= 1e12) || math.Abs(ps-whole) > 1e-3 {
		return 0, false
	}
	return sim.Time(whole), true
}
