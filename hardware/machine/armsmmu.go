package machine

import (
	"fmt"
	"io"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/hardware/smmuv3"
)

// SMMUSpec describes the SMMU of a board.
type SMMUSpec struct {
	Base                     uint64      // of its registers
	Event, PRI, Sync, Global gic.INTID   // its interrupts: SPIs
	Node                     int         // the die that it is on
	SMMU                     smmuv3.Spec // its latencies follow from the machine's
}

// DefaultSMMU is an SMMU with both stages and MSIs, with the interrupts that QEMU's virt board has.
func DefaultSMMU(base uint64) *SMMUSpec {
	return &SMMUSpec{Base: base, Event: 106, PRI: 107, Sync: 108, Global: 109, SMMU: smmuv3.DefaultSpec()}
}

// hasSMMU reports whether the machine's board has an SMMU.
func hasSMMU(s *Spec) bool {
	b, ok := s.Board.(*ArmSpec)
	return ok && b.SMMU != nil
}

// validate names the first field that makes no SMMU; none is right.
func (d *SMMUSpec) validate(s *Spec) error {
	if d == nil {
		return nil
	}
	if d.Base >= s.RAMBase && d.Base < s.RAMBase+s.RAMSize {
		return fmt.Errorf("RAM from 0x%x to 0x%x overlaps the SMMU at 0x%x: expected at most %d MiB", s.RAMBase,
			s.RAMBase+s.RAMSize-1, d.Base, (d.Base-s.RAMBase)>>20)
	}
	if d.Node < 0 || d.Node >= s.Nodes() {
		return fmt.Errorf("smmu.node is %d: expected 0 to %d", d.Node, s.Nodes()-1)
	}
	return d.SMMU.Validate()
}

// smmuPart is the SMMU as a Part.
type smmuPart struct {
	*smmuv3.SMMU
	spec  *SMMUSpec
	m     *Machine
	saved *smmuv3.Checkpoint
}

// buildSMMU makes and places the SMMU.
func (b *ArmBoard) buildSMMU(m *Machine) error {
	d := b.spec.SMMU
	spec := d.SMMU
	for i := range spec.Latency {
		spec.Latency[i] = m.Spec.Latency[SMMURegisterAck+LatencyName(i)].Mean
	}
	var lines smmuv3.Lines
	for _, l := range [...]struct {
		id gic.INTID
		to *bus.Line
	}{{d.Event, &lines.Event}, {d.PRI, &lines.PRI}, {d.Sync, &lines.Sync}, {d.Global, &lines.Global}} {
		line, err := b.gic.SPI(l.id)
		if err != nil {
			return fmt.Errorf("SMMU: %w", err)
		}
		*l.to = line
	}
	master := &bus.Master{Name: "SMMU", DeviceID: smmuDeviceID}
	place := mem.Place{Cluster: -1, Die: int32(d.Node), Socket: int32(d.Node / m.Spec.Dies)}
	s, err := smmuv3.New(spec, m.Engine, master, m.Memory.NewPort(master, place, &m.Devices), lines, b)
	if err != nil {
		return err
	}
	b.smmu = &smmuPart{SMMU: s, spec: d, m: m}
	return m.Devices.Add(bus.Region{Name: "SMMU", Base: bus.Addr(d.Base), Size: uint64(smmu.FrameSize), Device: b.smmu})
}

// smmuDeviceID is the SMMU to an ITS, for the MSIs of its own: beyond the StreamIDs, which are those of the devices.
const smmuDeviceID = 1 << 16

// SetEvent is smmuv3.EventReceiver: an event reaches every PE.
func (b *ArmBoard) SetEvent(at sim.Time) {
	for i := range b.cores {
		b.cores[i].SetEvent(at)
	}
}

// SMMU is the board's SMMU, nil if there is none, and SMMUBase the physical address of its registers.
func (b *ArmBoard) SMMU() *smmuv3.SMMU {
	if b.smmu == nil {
		return nil
	}
	return b.smmu.SMMU
}

// SMMUBase is the physical address of the SMMU's registers.
func (b *ArmBoard) SMMUBase() uint64 { return b.spec.SMMU.Base }

func (p *smmuPart) Save() { p.saved = p.SMMU.Save() }

func (p *smmuPart) Restore() { p.SMMU.Restore(p.saved) }

// Problem is a command that failed and that nobody has attended to, or a transaction that stalls.
func (p *smmuPart) Problem() string { return p.SMMU.Problem() }

func (p *smmuPart) Describe() string {
	text := fmt.Sprintf("SMMUv3.%d at 0x%x, on node %d", p.spec.SMMU.ArchMinor, p.spec.Base, p.spec.Node)
	if !p.spec.SMMU.MSI {
		text += ", without MSIs"
	}
	return text
}

// Peek reads words of memory, for the SMMU's dumps.
func (p *smmuPart) peek(addr uint64, words []uint64) bool {
	if addr%8 != 0 || !p.m.Memory.Contains(addr, 8*uint64(len(words))) {
		return false
	}
	for i := range words {
		words[i] = p.m.Memory.Peek(addr+8*uint64(i), 8)
	}
	return true
}

// Dump prints the SMMU's state, with the entries of its queues.
func (p *smmuPart) Dump(w io.Writer) { p.SMMU.Dump(w, p.peek) }

// DumpSMMU prints the SMMU's state, with the entries of its queues.
func (b *ArmBoard) DumpSMMU(w io.Writer) { b.smmu.Dump(w) }

// TranslateSMMU prints each step of the translation of an access by a stream, without time and without effect.
func (b *ArmBoard) TranslateSMMU(w io.Writer, stream uint32, substream *uint32, addr uint64, op bus.Op, attr bus.Attr) {
	m := bus.Master{Name: "debugger", StreamID: stream}
	if substream != nil {
		m.SubstreamID = *substream
	}
	b.smmu.Inspect(w, m, substream != nil, addr, op, attr, b.smmu.peek)
}

// smmuLatency is the latency of the SMMU that a latency is.
func smmuLatency(n LatencyName) smmuv3.LatencyName { return smmuv3.LatencyName(n - SMMURegisterAck) }

// withSMMU completes what is known of latencies.
func withSMMU(info [latencies]latencyText) [latencies]latencyText {
	for n := SMMURegisterAck; n < latencies; n++ {
		info[n] = latencyText{smmuLatency(n).String(), smmuLatency(n).Doc()}
	}
	return info
}

// smmuLatencies are those of an SMMU of which nothing was published.
func smmuLatencies(to *[latencies]Latency) {
	const (
		nothing  = "nothing published"
		commands = "nothing published; Morello and a Snapdragon do 6 to 22 million commands a second"
	)
	for n, l := range [smmuv3.Latencies]Latency{
		smmuv3.RegisterAck:      assumed(20*ns, 100*ns, 1000*ns, nothing),
		smmuv3.CommandFetch:     assumed(1*ns, 5*ns, 20*ns, nothing),
		smmuv3.CommandDecode:    assumed(1*ns, 4*ns, 20*ns, nothing),
		smmuv3.CommandConsume:   assumed(1*ns, 4*ns, 20*ns, nothing),
		smmuv3.InvalidateTLB:    assumed(45*ns, 100*ns, 200*ns, commands),
		smmuv3.InvalidateConfig: assumed(45*ns, 100*ns, 200*ns, commands),
		smmuv3.SyncComplete:     assumed(20*ns, 100*ns, 500*ns, nothing),
		smmuv3.MessageIssue:     assumed(10*ns, 50*ns, 150*ns, nothing),
		smmuv3.EventToPEs:       assumed(10*ns, 50*ns, 200*ns, nothing),
		smmuv3.InterruptWire:    assumed(10*ns, 50*ns, 200*ns, nothing),
		smmuv3.RecordIssue:      assumed(5*ns, 20*ns, 100*ns, nothing),
		smmuv3.Lookup:           assumed(1*ns, 5*ns, 20*ns, nothing),
		smmuv3.WalkStep:         assumed(1*ns, 4*ns, 10*ns, nothing),
		smmuv3.Downstream:       assumed(5*ns, 20*ns, 60*ns, nothing),
		smmuv3.ATCInvalidate:    assumed(200*ns, 500*ns, 2000*ns, nothing),
		smmuv3.ATCTimeout:       assumed(sim.Millisecond, 10*sim.Millisecond, sim.Second, nothing),
	} {
		to[SMMURegisterAck+LatencyName(n)] = l
	}
}
