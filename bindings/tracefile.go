package bindings

import (
	"fmt"
	"io"
	"strings"

	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A FoldedFile is where the time of all machines that are traced goes, by the functions of the kernel: a line for each
// way to a function, as the tools that draw flame graphs read it.
type FoldedFile struct {
	Out      io.Writer
	machines []foldedMachine
}

type foldedMachine struct {
	name    string
	profile *sim.Profile
}

// attach makes a machine's time go into the file.
func (f *FoldedFile) attach(m *machine.Machine, run Run) {
	profile := &sim.Profile{}
	name := strings.NewReplacer(";", ",", " ", "_").Replace(fmt.Sprintf("%s on %s", run, m.Spec.Name))
	f.machines = append(f.machines, foldedMachine{name, profile})
	m.Engine.Attach(profile)
}

// Finish writes the file, in ps. What a CPU does outside of the kernel's functions is left out: nobody knows whether it
// works then.
func (f *FoldedFile) Finish() {
	for _, m := range f.machines {
		for i := range m.profile.Nodes {
			if node := &m.profile.Nodes[i]; node.Caller >= 0 && node.Self > 0 {
				fmt.Fprintf(f.Out, "%s;%s %d\n", m.name, m.profile.Path(i), node.Self)
			}
		}
	}
}

// A TraceFile is a trace of all machines that are traced for programs that show such as pictures, in the Trace Event
// Format of Chrome: a track for each CPU with the kernel's functions, and arrows from where an SGI is sent to where it
// arrives. The span is that of the text trace.
type TraceFile struct {
	Out      io.Writer
	From, To int64 // ps since the boot; To 0 is without end

	machines int
	events   int
	flows    uint64
}

// machineTrack is one machine in a TraceFile, which is one process there.
type machineTrack struct {
	file    *TraceFile
	m       *machine.Machine
	process int
	tracks  map[string]int      // by source
	depth   map[string]int      // functions entered, by source
	sent    map[uint64][]uint64 // arrows under way, by sender and target
}

func (f *TraceFile) attach(m *machine.Machine, run Run) {
	f.machines++
	t := &machineTrack{
		file: f, m: m, process: f.machines, tracks: map[string]int{}, depth: map[string]int{}, sent: map[uint64][]uint64{},
	}
	f.event(`"name":"process_name","ph":"M","pid":%d,"args":{"name":%q}`, t.process,
		fmt.Sprintf("%s on %s", run, m.Spec.Name))
	m.Engine.Attach(t)
}

func (f *TraceFile) event(format string, args ...any) {
	before := ",\n"
	if f.events == 0 {
		before = "[\n"
	}
	f.events++
	fmt.Fprintf(f.Out, before+"{"+format+"}", args...)
}

// Finish ends the file.
func (f *TraceFile) Finish() {
	if f.events == 0 {
		fmt.Fprint(f.Out, "[")
	}
	fmt.Fprint(f.Out, "\n]\n")
}

// Wants is sim.Tracer.
func (t *machineTrack) Wants() sim.Kinds { return sim.Of(sim.Enter, sim.Leave, sim.Send, sim.Arrive) }

// Trace is sim.Tracer. A function that was entered before the span is not left in it either.
func (t *machineTrack) Trace(r *sim.Record) {
	at := t.m.Since(r.At)
	if at < sim.Time(t.file.From) || t.file.To != 0 && at >= sim.Time(t.file.To) {
		return
	}
	track, us := t.track(r.Source), microseconds(at)
	switch r.Kind {
	case sim.Enter:
		t.depth[r.Source]++
		t.file.event(`"name":%q,"ph":"B","ts":%s,"pid":%d,"tid":%d`, r.Symbol, us, t.process, track)
	case sim.Leave:
		if t.depth[r.Source] > 0 {
			t.depth[r.Source]--
			t.file.event(`"ph":"E","ts":%s,"pid":%d,"tid":%d`, us, t.process, track)
		}
	case sim.Send:
		t.file.flows++
		t.sent[r.Value] = append(t.sent[r.Value], t.file.flows)
		t.file.event(`"name":%q,"cat":"SGI","ph":"s","id":%d,"ts":%s,"pid":%d,"tid":%d`, r.Symbol, t.file.flows, us,
			t.process, track)
	case sim.Arrive:
		if list := t.sent[r.Value]; len(list) > 0 {
			t.sent[r.Value] = list[1:]
			t.file.event(`"name":%q,"cat":"SGI","ph":"f","id":%d,"ts":%s,"pid":%d,"tid":%d`, r.Symbol, list[0], us,
				t.process, track)
		}
	}
}

// track is the number of a source's track, which has its name from its first event on.
func (t *machineTrack) track(source string) int {
	n, known := t.tracks[source]
	if !known {
		n = len(t.tracks)
		for i, c := range t.m.CPUs {
			if c.String() == source {
				n = i
			}
		}
		t.tracks[source] = n
		t.file.event(`"name":"thread_name","ph":"M","pid":%d,"tid":%d,"args":{"name":%q}`, t.process, n, source)
	}
	return n
}

// microseconds is a time in us, exactly.
func microseconds(t sim.Time) string {
	return fmt.Sprintf("%d.%06d", t/sim.Microsecond, t%sim.Microsecond)
}
