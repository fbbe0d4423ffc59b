package machine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/hardware/smmuv3"
)

func armSpec(s *machine.Spec) *machine.ArmSpec { return s.Board.(*machine.ArmSpec) }

func armBoard(m *machine.Machine) *machine.ArmBoard { return m.Board.(*machine.ArmBoard) }

// TestValidate: each message names the field, its value and what was expected. Scripts show it behind "hw.machine: ".
func TestValidate(t *testing.T) {
	for _, row := range []struct {
		want   string
		change func(*machine.Spec)
	}{
		{"sockets is 0: expected 1 to 4096", func(s *machine.Spec) { s.Sockets = 0 }},
		{"dies is -1: expected 1 to 4096", func(s *machine.Spec) { s.Dies = -1 }},
		{"clusters is 5000: expected 1 to 4096", func(s *machine.Spec) { s.Clusters = 5000 }},
		{"cores is 0: expected 1 to 4096", func(s *machine.Spec) { s.Cores = 0 }},
		{"cpus is 0: expected 1 to 4096", func(s *machine.Spec) { s.CPUs = 0 }},
		{"cpus is 4097: expected 1 to 4096", func(s *machine.Spec) { s.CPUs = 4097 }},
		{"cpus is 9: expected 1 to 8", func(s *machine.Spec) { s.Clusters, s.Cores, s.CPUs = 2, 4, 9 }},
		{"cpus is 8: socket 1 of 3 would be empty; expected at least 17, or fewer sockets", func(s *machine.Spec) {
			s.Sockets, s.Clusters, s.Cores, s.CPUs = 3, 2, 4, 8
		}},
		{"cpus is 16: socket 2 of 3 would be empty; expected at least 17, or fewer sockets", func(s *machine.Spec) {
			s.Sockets, s.Clusters, s.Cores, s.CPUs = 3, 2, 4, 16
		}},
		{"cpus is 4: the redistributor regions have room for 2", func(s *machine.Spec) {
			armSpec(s).GICRs[0].CPUs, armSpec(s).GICRs[1].CPUs = 2, 0
		}},
		{"clusters is 9: expected at most 8 with affinities of kind cores", func(s *machine.Spec) {
			armSpec(s).Affinities, s.Clusters = machine.AffinityCores, 9
		}},
		{"stack_node is 1: expected 0 to 0", func(s *machine.Spec) { s.Linux.StackNode = 1 }},
		{"stack_node is -2: expected 0 to 0", func(s *machine.Spec) { s.Linux.StackNode = -2 }},
		{"handoff_die: latency 5 ns (6 ns to 7 ns): expected 0 <= low <= mean <= high", func(s *machine.Spec) {
			s.Latency[machine.HandOffDie].Spread = sim.Spread{Low: 6000, Mean: 5000, High: 7000}
		}},
		{"rwp: latency -1 ps (-1 ps to -1 ps): expected 0 <= low <= mean <= high", func(s *machine.Spec) {
			s.Latency[machine.RWP].Spread = sim.Fixed(-1)
		}},
		{"l1_hit: assumed, absorbs \"all\": expected what it absorbs if it is fitted, and only then", func(s *machine.Spec) {
			s.Latency[machine.L1Hit].Absorbs = "all"
		}},
		{"store buffer of 0 entries: expected at least 1", func(s *machine.Spec) { s.StoreBuffer = 0 }},
		{"clock 0 Hz: expected at least 1 Hz", func(s *machine.Spec) { s.Clock = 0 }},
		{"counter frequency 0 Hz: expected at least 1 Hz", func(s *machine.Spec) { armSpec(s).CounterFreq = 0 }},
		{"RAM of 0x100000 bytes at 0x40000000: expected multiples of 2 MiB, up to 64 GiB", func(s *machine.Spec) {
			s.RAMSize = 1 << 20
		}},
		{"gicv3: NumSPIs is 33: want a multiple of 32, or 988", func(s *machine.Spec) { armSpec(s).GIC.NumSPIs = 33 }},
	} {
		spec, _ := machine.Preset("virt")
		row.change(&spec)
		m, err := machine.New(spec)
		if err == nil {
			m.Close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("got %v, want %s", err, row.want)
		}
	}
}

// TestPresets: a preset is a fresh copy, valid, and each of its latencies says where it comes from.
func TestPresets(t *testing.T) {
	for _, name := range machine.Presets() {
		spec, ok := machine.Preset(name)
		if !ok || spec.Name != name || spec.Validate() != nil {
			t.Errorf("%s: %q, %t, %v", name, spec.Name, ok, spec.Validate())
		}
		fitted := 0
		for i := range spec.Latency {
			l := &spec.Latency[i]
			if l.Source == "" {
				t.Errorf("%s: %s has no source", name, machine.LatencyName(i))
			}
			if l.Origin == machine.Assumed && l.Low == l.High {
				t.Errorf("%s: %s is assumed, and known to the picosecond", name, machine.LatencyName(i))
			}
			if l.Origin == machine.Fitted {
				fitted++
			}
			if named := l.Row != (machine.PublishedRow{}); named != (l.Origin == machine.Fitted) {
				t.Errorf("%s: %s is %s and names the row %v", name, machine.LatencyName(i), l.Origin, l.Row)
			}
		}
		if want := map[string]int{"kunpeng920": 1, "arm80": 1}[name]; fitted != want {
			t.Errorf("%s: %d fitted latencies, want %d", name, fitted, want)
		}
		armSpec(&spec).GICRs[0].Base, spec.CPUs = 0, 1
		if again, _ := machine.Preset(name); armSpec(&again).GICRs[0].Base == 0 || again.CPUs == 1 {
			t.Errorf("%s: a change of one copy shows in the next", name)
		}
	}
	if _, ok := machine.Preset("kunpeng"); ok {
		t.Error("kunpeng is taken for a preset")
	}
}

func TestLatencyNames(t *testing.T) {
	for i, name := range machine.LatencyNames() {
		n, ok := machine.ParseLatency(name)
		if !ok || n != machine.LatencyName(i) || n.String() != name || n.Doc() == "" {
			t.Errorf("%s: %v, %t, %q", name, n, ok, n.Doc())
		}
	}
	if _, ok := machine.ParseLatency("dsb_st"); ok {
		t.Error("dsb_st is taken for a latency")
	}
}

// TestDescribe: every latency is a line with its origin; the assumptions on which the prediction rests are named so.
func TestDescribe(t *testing.T) {
	spec, _ := machine.Preset("kunpeng920")
	text := spec.Describe()
	for _, want := range []string{
		"kunpeng920: 96 CPUs: 2 x 2 x 6 x 4 (sockets, dies, clusters, cores), 2600 MHz\n",
		"34.4 (30.0 to 38.0)  sourced  a line from another core of the cluster; core-to-core-latency",
		"one-way CAS hand-off; each varies over the range\n",
		"  21.5 (19.6 to 24.75)  sourced  one leg of a line's way, or of an SGI's, from a die to another",
		"  57.05 (21.5 to 97.0)  assumed  one leg of a line's way, or of an SGI's, from a socket to another; from a leg",
		"     4.0 (1.0 to 10.0)  assumed  a home's work for one request",
		"  35.9 (3.8 to 78.9)  assumed  outer_model serial, pipelined, moved: acknowledgement of one store",
		"from an L2 hit to a cross-die hand-off; not used by outer_model none\n",
		"up to an access to memory for each line; not used by outer_model none\n",
		"frame_lines                      3 (1 to 6) lines  assumed  stack frames between llist_add and the barrier",
		"\nouter_model none, assumed: a DSB of any domain waits for drains and nothing else\n",
		"fitted   from the write of ICC_SGI1R_EL1 to the interrupt input of a target on the die; elsewhere a leg more; " +
			"seed 000, wmb() row",
		"126,663,949 ns; absorbs the rest of a remote call",
		"irq_entry                         110 (55 to 220)  assumed  el1h_64_irq: registers saved",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	const lacks = 3 + smmuv3.Latencies // its_command, its_spread, its_transport: there is no ITS, and no SMMU
	if lines := strings.Count(text, "\n"); lines != 5-lacks+len(machine.LatencyNames())+len(spec.Costs.List()) {
		t.Errorf("%d lines", lines)
	}
	for m, want := range map[cpu.OuterModel][]string{
		cpu.OuterSerial: {"outer_flush"}, cpu.OuterPipelined: {"outer_flush"}, cpu.OuterMoved: {"outer_flush"},
		cpu.OuterFlush: {"outer_ack"},
	} {
		spec.OuterModel = m
		var unused []string
		for line := range strings.Lines(spec.Describe()) {
			if name, _, _ := strings.Cut(line, " "); strings.Contains(line, "not used by outer_model "+m.String()) {
				unused = append(unused, name)
			}
		}
		if !slices.Equal(unused, want) {
			t.Errorf("outer_model %s: not used are %q, want %q", m, unused, want)
		}
		window := strings.Contains(spec.Describe(), "\nouter_window 8 acknowledgements (2 to 24), assumed")
		if window != (m == cpu.OuterPipelined) {
			t.Errorf("outer_model %s: window described: %v", m, window)
		}
	}
	spec.OuterModel = cpu.OuterNone
	spec.Jitter = false
	spec.Costs.Set("irq_entry", 100)
	text = spec.Describe()
	if !strings.HasSuffix(text, "jitter is off: every latency is its typical value\n") {
		t.Error("without jitter it does not say so")
	}
	if want := "irq_entry                                     100  given    el1h_64_irq"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}
