package its

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// ITS is one translation service.
type ITS struct {
	spec  Spec
	eng   *sim.Engine
	ports Ports
	typer uint64
	programs

	registerState
	counts
	held   []uint64 // CTEs of the collections that the ITS holds itself
	caches [caches]cache

	command    operation
	slots      []operation // messages that are being looked up
	looking    int         // how many of them are
	waiting    ring
	hold       bool // no other message may be looked up
	drain      bool // ... and the command waits until none is
	wires      []wire
	toAddress  map[bus.Addr]int // redistributors, with PTA
	translator translator

	epoch  uint64 // counts resets; what was under way before one is void
	events []Event
	lost   uint64 // events after the list was full
}

// New builds an ITS at its reset state.
func New(spec Spec, eng *sim.Engine, ports Ports) (*ITS, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	i := &ITS{
		spec: spec, eng: eng, ports: ports, typer: spec.typer(), held: make([]uint64, spec.HCC),
		slots: make([]operation, spec.Translations), wires: make([]wire, len(spec.Redistributors)),
		toAddress: map[bus.Addr]int{}, programs: newPrograms(),
	}
	i.translator.i = i
	for n, size := range [caches]int{spec.DeviceCache, spec.EventCache, spec.CollectionCache} {
		i.caches[n].entries = make([]kept, size)
	}
	i.command.init(i, ports.Master.Name+" command")
	for n := range i.slots {
		i.slots[n].init(i, fmt.Sprintf("%s message %d", ports.Master.Name, n))
	}
	for rd, addr := range spec.Redistributors {
		i.toAddress[addr] = rd
		i.wires[rd].init(i, rd)
	}
	i.Reset()
	return i, nil
}

// Spec returns what the ITS was built from.
func (i *ITS) Spec() Spec { return i.spec }

// Control is the frame of the ITS's registers, 64 KiB.
func (i *ITS) Control() bus.Device { return i }

// Translation is the frame of GITS_TRANSLATER, 64 KiB, which stands behind the other one.
func (i *ITS) Translation() bus.Target { return &i.translator }

// Reset puts everything to its reset state: nothing is under way, and nothing is kept.
func (i *ITS) Reset() {
	i.abandon()
	i.registerState = registerState{}
	for t := range i.baser {
		i.baser[t] = i.resetBaser(t)
	}
	clear(i.held)
	i.forgetAll()
}

// abandon makes void what is under way.
func (i *ITS) abandon() {
	i.epoch++
	i.command.stage = idle
	for n := range i.slots {
		i.slots[n].stage = idle
	}
	i.looking, i.hold, i.drain = 0, false, false
	i.waiting.clear()
}

// Busy reports whether a command or a message is under way.
func (i *ITS) Busy() bool { return i.command.stage != idle || i.looking > 0 || i.waiting.n > 0 }

// Problem is what is wrong when nothing is pending any more, "" if nothing: a queue that stands still.
func (i *ITS) Problem() string {
	switch {
	case i.stalled:
		return fmt.Sprintf("the command queue has stalled at 0x%x", i.creadr)
	case i.Busy():
		return fmt.Sprintf("the command at 0x%x is never done: %s", i.creadr, DescribeCommand(i.command.words))
	}
	return ""
}

// typer is the value of GITS_TYPER.
func (s *Spec) typer() uint64 {
	v := uint64(gic.GITS_TYPER_Physical)
	v = gic.GITS_TYPER_CCT.Put(v, bits.Flag(s.CCT))
	v = gic.GITS_TYPER_ITT_entry_size.Put(v, uint64(s.ITTEntry-1))
	v = gic.GITS_TYPER_ID_bits.Put(v, uint64(s.EventBits-1))
	v = gic.GITS_TYPER_Devbits.Put(v, uint64(s.DeviceBits-1))
	v = gic.GITS_TYPER_PTA.Put(v, bits.Flag(s.PTA))
	v = gic.GITS_TYPER_HCC.Put(v, uint64(s.HCC))
	v = gic.GITS_TYPER_CIDbits.Put(v, uint64(s.CollectionBits-1))
	return gic.GITS_TYPER_CIL.Put(v, 1)
}

// redistributor is the number of the one that a command names, none if there is none.
func (i *ITS) redistributor(base uint64) int {
	if !i.spec.PTA {
		if base < uint64(len(i.wires)) {
			return int(base)
		}
		return none
	}
	if rd, found := i.toAddress[bus.Addr(base<<gic.ITS_CMD_2_RDbase.Shift())]; found {
		return rd
	}
	return none
}

// none stands for no redistributor.
const none = -1
