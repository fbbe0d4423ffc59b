package machine

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/its"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// ITSSpec describes the ITS of an Arm board.
type ITSSpec struct {
	Base uint64
	ITS  its.Spec // the redistributors follow from the rest
}

// hasITS reports whether a machine has an ITS.
func hasITS(s *Spec) bool {
	b, ok := s.Board.(*ArmSpec)
	return ok && b.ITS != nil
}

func (i *ITSSpec) validate(s *Spec) error {
	if i == nil {
		return nil
	}
	size := uint64(gic.ITSFrames)
	if i.Base%size != 0 {
		return fmt.Errorf("its is at 0x%x: expected a multiple of 0x%x", i.Base, size)
	}
	if i.Base < s.RAMBase+s.RAMSize && s.RAMBase < i.Base+size {
		return fmt.Errorf("RAM from 0x%x to 0x%x overlaps the ITS at 0x%x", s.RAMBase, s.RAMBase+s.RAMSize-1, i.Base)
	}
	return nil
}

// What the latencies that only an ITS has are.
const (
	itsCommandDoc   = "the ITS's own work for a command, or a message, before it looks anything up"
	itsSpreadDoc    = "by how much its_command varies, up and down, from one to another"
	itsTransportDoc = "a message between the ITS and a redistributor, one way"
)

// itsPart is the ITS as a Part, with the way of it and of the redistributors to memory.
type itsPart struct {
	*its.ITS
	board  *ArmBoard
	saved  *its.Checkpoint
	jitter sim.Jitter
	hop    sim.Time

	masters []*bus.Master // it, and the redistributors
}

func (i *itsPart) Save() { i.saved = i.ITS.Save() }

func (i *itsPart) Restore() { i.ITS.Restore(i.saved) }

func (i *itsPart) Describe() string {
	s := i.Spec()
	return fmt.Sprintf("ITS at 0x%x, entries of interrupt translation tables are of %d bytes, GITS_TYPER says %d",
		i.board.spec.ITS.Base, s.ITESize, s.ITTEntry)
}

// The keys of the ITS's jitter, apart from those of lines and wires.
const (
	itsCommands = 1<<63 | 1<<62
	itsMessages = itsCommands | 1
)

// Command is its.Latency.
func (i *itsPart) Command(n uint64) sim.Time { return i.jitter.At(i.board.seed, itsCommands, n) }

// Translate is its.Latency.
func (i *itsPart) Translate(n uint64) sim.Time { return i.jitter.At(i.board.seed, itsMessages, n) }

// HandOver is its.Latency.
func (i *itsPart) HandOver(int, uint64) sim.Time { return i.hop }

// buildITS makes the ITS, and gives it and the redistributors ports to memory.
func (b *ArmBoard) buildITS(m *Machine) error {
	s := &m.Spec
	command, spread := s.Latency[ITSCommand].Mean, s.Latency[ITSSpread].Mean
	if !s.Jitter {
		spread = 0
	}
	b.its = &itsPart{
		board: b, hop: s.Latency[ITSTransport].Mean,
		jitter: sim.NewJitter(sim.Spread{Low: max(command-spread, 0), Mean: command, High: command + min(spread, command)}),
	}
	g := b.gic.Spec()
	b.gic.ConnectMemory(func(cpu int) bus.Target {
		p := b.places[cpu]
		place := mem.Place{Cluster: noCluster, Die: p.Die, Socket: p.Socket}
		port := m.masterPort(fmt.Sprintf("GICR%d", cpu), place)
		b.its.masters = append(b.its.masters, port.master)
		return port
	})
	spec := b.spec.ITS.ITS
	spec.Redistributors = nil
	for cpu := range s.CPUs {
		spec.Redistributors = append(spec.Redistributors, g.RedistributorBase(cpu))
	}
	spec.DS = g.DS
	port := m.masterPort("ITS", mem.Place{Cluster: noCluster})
	b.its.masters = append(b.its.masters, port.master)
	device, err := its.New(spec, m.Engine, its.Ports{
		Master: port.master, Memory: port, Redistributors: b.gic.GIC, Latency: b.its,
	})
	if err != nil {
		return err
	}
	b.its.ITS = device
	base, frame := bus.Addr(b.spec.ITS.Base), uint64(gic.FrameSize)
	registers := bus.Region{Name: "GITS", Base: base, Size: frame, Device: &itsFrame{itsPart: b.its}}
	if err := m.Devices.Add(registers); err != nil {
		return err
	}
	return m.Devices.Add(bus.Region{
		Name: "GITS_TRANSLATER", Base: base + bus.Addr(frame), Size: frame, Target: device.Translation(),
	})
}

// noCluster is the place of a master that sits in no cluster.
const noCluster = -1

// ITS is the interrupt translation service, nil if there is none.
func (b *ArmBoard) ITS() *its.ITS {
	if b.its == nil {
		return nil
	}
	return b.its.ITS
}

// Message is a device's write of an event to GITS_TRANSLATER that arrives at a time.
func (b *ArmBoard) Message(device, event uint32, at sim.Time) {
	b.its.Translation().Transact(&bus.Transaction{
		Master: &bus.Master{Name: "device", DeviceID: device}, At: at, Addr: bus.Addr(b.ITSBase() + gic.GITS_TRANSLATER),
		Len: uint8(bus.W32), Op: bus.Write, Data: [bus.MaxLength / 8]uint64{uint64(event)},
	})
}

// ITSBase is the physical address of ITS_base.
func (b *ArmBoard) ITSBase() uint64 { return b.spec.ITS.Base }

// fill is memory that is full of a byte, in no cache.
func (b *ArmBoard) fill(addr, size uint64, v byte) {
	word := uint64(v) * 0x0101_0101_0101_0101
	for at := addr; at < addr+size; at += 8 {
		b.memory.Poke(at, 8, word)
	}
}

// Table is which of the tables of the ITS and the redistributors an address is in: "queue", "level 1", "device", "ITT",
// "collection", "config", "pending"; "" for none.
func (b *ArmBoard) Table(addr uint64) string {
	control := b.its.Control()
	read := func(off uint64) uint64 {
		v, _ := control.ReadReg(off, bus.W64)
		return v
	}
	inside := func(base, size uint64) bool { return addr >= base && addr < base+size }
	queue := read(gic.GITS_CBASER)
	if inside(gic.GITS_CBASER_Physical_Address.Get(queue)<<12, (gic.GITS_CBASER_Size.Get(queue)+1)<<12) {
		return "queue"
	}
	for n := range uint64(8) {
		base, size := its.TableArea(read(gic.GITS_BASER + 8*n))
		switch kind := gic.TableType(gic.GITS_BASER_Type.Get(read(gic.GITS_BASER + 8*n))); {
		case !inside(base, size):
		case kind == gic.CollectionTable:
			return "collection"
		case gic.GITS_BASER_Indirect.Is(read(gic.GITS_BASER + 8*n)):
			return "level 1"
		default:
			return "device"
		}
	}
	for cpu := range b.cores {
		prop, _ := b.gic.Redistributor(cpu).ReadReg(gic.GICR_PROPBASER, bus.W64)
		pend, _ := b.gic.Redistributor(cpu).ReadReg(gic.GICR_PENDBASER, bus.W64)
		bits := gic.GICR_PROPBASER_IDbits.Get(prop) + 1
		switch {
		case inside(gic.GICR_PROPBASER_Physical_Address.Get(prop)<<12, 1<<bits-uint64(gic.FirstLPI)):
			return "config"
		case inside(gic.GICR_PENDBASER_Physical_Address.Get(pend)<<16, 1<<bits/8):
			return "pending"
		}
	}
	if b.driver.InITT(addr) {
		return "ITT"
	}
	return "device" // a page of the second level
}
