package aclint

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A Hart is where interrupts arrive.
type Hart interface {
	// SetLine drives the wires of some bits of mip, at the engine's present.
	SetLine(pending uint64, level bool)
	// SetPending sets bits of mip that software clears.
	SetPending(pending uint64)
}

// Kind is what a frame is.
type Kind uint8

// The kinds.
const (
	CLINT      Kind = iota // MSIP, MTIMECMP, MTIME
	THeadCLINT             // the same without MTIME, and the supervisor's SSIP and STIMECMP
	MSWI                   // MSIP
	SSWI                   // SETSSIP
)

// String is the kind's name.
func (k Kind) String() string { return [...]string{"CLINT", "T-Head CLINT", "MSWI", "SSWI"}[k] }

// Size is the bytes of a frame.
func (k Kind) Size() uint64 {
	if k == MSWI || k == SSWI {
		return 0x4000
	}
	return 0x10000
}

// Spec describes a frame.
type Spec struct {
	Kind Kind
	Freq sim.Freq // of mtime
	Wire sim.Time // from a register to a hart
}

// Validate names the first field that cannot be.
func (s *Spec) Validate() error {
	if s.Freq == 0 && (s.Kind == CLINT || s.Kind == THeadCLINT) {
		return fmt.Errorf("timer frequency 0 Hz: expected at least 1 Hz")
	}
	if s.Wire < 0 {
		return fmt.Errorf("wire of %s: expected 0 or more", s.Wire)
	}
	return nil
}

// Device is one frame.
type Device struct {
	spec   Spec
	engine *sim.Engine
	frame  *bus.Frame[Device]
	ports  []port // by hart id
	offset uint64 // of mtime to the count of the engine's time
}

// port is what a frame has for one hart; hart is nil for an id that there is not.
type port struct {
	device  *Device
	hart    Hart
	wire    sim.Channel
	machine timer
	super   timer
	levels  levels
}

// levels are the software interrupts that registers hold.
type levels struct{ msip, ssip bool }

// New makes a frame for harts by their ids; an id that there is not is nil.
func New(spec Spec, engine *sim.Engine, harts []Hart) (*Device, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	if limit := 1024; len(harts) > limit {
		return nil, fmt.Errorf("hart id %d: expected at most %d", len(harts)-1, limit-1)
	}
	d := &Device{spec: spec, engine: engine, frame: frames[spec.Kind], ports: make([]port, len(harts))}
	for i := range d.ports {
		p := &d.ports[i]
		p.device, p.hart = d, harts[i]
		if p.hart == nil {
			continue
		}
		engine.Register(&p.wire, fmt.Sprintf("%s wire of hart %d", spec.Kind, i))
		p.machine.init(p, fmt.Sprintf("mtimecmp of hart %d", i), uint64(rv.MIP_MTIP))
		p.super.init(p, fmt.Sprintf("stimecmp of hart %d", i), uint64(rv.MIP_STIP))
	}
	return d, nil
}

// ReadReg is bus.Device.
func (d *Device) ReadReg(off uint64, w bus.Width) (uint64, bool) { return d.frame.Read(d, off, w) }

// WriteReg is bus.Device.
func (d *Device) WriteReg(off uint64, w bus.Width, v uint64) bool { return d.frame.Write(d, off, w, v) }

// frames are the register tables of the kinds.
var frames = func() (f [4]*bus.Frame[Device]) {
	for k, table := range [...]bus.Registers[Device]{
		CLINT: {
			msip, mtimecmp, bus.Halves(rv.CLINT_MTIME, (*Device).mtime, (*Device).setTime),
		},
		THeadCLINT: {
			msip, mtimecmp,
			bus.PerIRQ(rv.CLINT_SSIP, 32, 1024, bus.W32, (*Device).ssip, (*Device).setSSIP),
			bus.PerIRQ(rv.CLINT_STIMECMP, 64, 1024, bus.W32|bus.W64, (*Device).stimecmp, (*Device).setSTimecmp),
		},
		MSWI: {msip},
		SSWI: {bus.PerIRQ(rv.SSWI_SETSSIP, 32, 4095, bus.W32, zero, (*Device).pulseSSIP)},
	} {
		f[k] = bus.MustFrame(Kind(k).Size(), table)
	}
	return f
}()

var (
	msip     = bus.PerIRQ(rv.CLINT_MSIP, 32, 4095, bus.W32, (*Device).msip, (*Device).setMSIP)
	mtimecmp = bus.PerIRQ(rv.CLINT_MTIMECMP, 64, 4095, bus.W32|bus.W64, (*Device).mtimecmp, (*Device).setMTimecmp)
)

func zero(*Device, int) uint64 { return 0 }

// of is the port of a hart id, nil if there is none.
func (d *Device) of(id int) *port {
	if id >= len(d.ports) || d.ports[id].hart == nil {
		return nil
	}
	return &d.ports[id]
}

func (d *Device) msip(id int) uint64 {
	if p := d.of(id); p != nil {
		return bits.Flag(p.levels.msip)
	}
	return 0
}

// setMSIP: bit 0 is the level of the hart's MSIP, the others are hardwired to zero.
func (d *Device) setMSIP(id int, v, _ uint64) {
	if p := d.of(id); p != nil {
		p.levels.msip = v&1 != 0
		p.send(uint64(rv.MIP_MSIP), p.levels.msip)
	}
}

func (d *Device) ssip(id int) uint64 {
	if p := d.of(id); p != nil {
		return bits.Flag(p.levels.ssip)
	}
	return 0
}

// setSSIP is T-Head's: a level, which software lowers here as well as in sip.
func (d *Device) setSSIP(id int, v, _ uint64) {
	if p := d.of(id); p != nil {
		p.levels.ssip = v&1 != 0
		p.send(uint64(rv.MIP_SSIP), p.levels.ssip)
	}
}

// pulseSSIP sets the hart's SSIP once. A write of 0 does nothing.
func (d *Device) pulseSSIP(id int, v, _ uint64) {
	if p := d.of(id); p != nil && v&1 != 0 {
		p.post(pulse, uint64(rv.MIP_SSIP))
	}
}

// The three things that a wire carries, beside the bits of mip.
const (
	lower = iota
	raise
	pulse

	whatBits = 2
)

func (p *port) send(pending uint64, level bool) { p.post(bits.Flag(level), pending) }

func (p *port) post(what, pending uint64) {
	p.device.engine.Post(&p.wire, p.device.engine.Now()+p.device.spec.Wire, p, pending<<whatBits|what)
}

// Fire is the arrival at the hart.
func (p *port) Fire(_ sim.Time, arg uint64) {
	switch pending := arg >> whatBits; arg & (1<<whatBits - 1) {
	case pulse:
		p.hart.SetPending(pending)
	case raise:
		p.hart.SetLine(pending, true)
	case lower:
		p.hart.SetLine(pending, false)
	}
}
