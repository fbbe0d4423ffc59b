package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

func (s *SMMU) readGError() uint64  { return s.r.gerror }
func (s *SMMU) readGErrorN() uint64 { return s.r.gerrorn }

// errorBits are the global errors that exist.
const errorBits = smmu.SMMU_GERROR_CMDQ_ERR | smmu.SMMU_GERROR_EVENTQ_ABT_ERR | smmu.SMMU_GERROR_PRIQ_ABT_ERR |
	smmu.SMMU_GERROR_MSI_CMDQ_ABT_ERR | smmu.SMMU_GERROR_MSI_EVENTQ_ABT_ERR | smmu.SMMU_GERROR_MSI_PRIQ_ABT_ERR |
	smmu.SMMU_GERROR_MSI_GERROR_ABT_ERR | smmu.SMMU_GERROR_SFM_ERR

// writeGErrorN acknowledges errors. A bit that is changed without its error being active is CONSTRAINED UNPREDICTABLE:
// here it stays. IHI 0070, 6.3.19.
func (s *SMMU) writeGErrorN(v uint64) {
	v &= uint64(errorBits)
	active := s.r.active()
	if changed := v ^ s.r.gerrorn; changed&^active != 0 {
		s.remark("SMMU_GERRORN", "a bit was changed whose error is not active", true)
	}
	s.r.gerrorn ^= (v ^ s.r.gerrorn) & active
	s.cmdq.kick()
	s.events.consumed()
}

// Failing reports whether an error is active.
func (s *SMMU) failing(f bits.Field) bool { return f.Is(s.r.active()) }

// raise makes an error active, if it is not yet, and tells software; that its own MSI was aborted nobody is told.
// IHI 0070, 7.5.
func (s *SMMU) raise(f bits.Field) {
	if s.failing(f) {
		return
	}
	s.r.gerror ^= uint64(f)
	if s.eng.Tracing {
		fields, _ := smmu.Registers.Decode("SMMU_GERROR", uint64(f))
		s.trace("GERROR %s", fields)
	}
	if f != smmu.SMMU_GERROR_MSI_GERROR_ABT_ERR {
		s.interrupt(smmu.SMMU_IRQ_CTRL_GERROR_IRQEN, &s.r.globalIRQ, smmu.SMMU_GERROR_MSI_GERROR_ABT_ERR, s.lines.Global)
	}
}

// Fail puts the SMMU into service failure mode, as an error of its own does. It goes on doing what it does.
func (s *SMMU) Fail() { s.raise(smmu.SMMU_GERROR_SFM_ERR) }

// interrupt sends an interrupt if it is on: by MSI where there is an address, and by wire.
func (s *SMMU) interrupt(enable bits.Field, m *message, abort bits.Field, line bus.Line) {
	if !enable.Is(s.r.irqAck) {
		return
	}
	if m.addr != 0 {
		s.msi.send(write{
			addr: m.addr, data: m.data, size: 4, abort: abort,
			attr: fourBits(smmu.SMMU_GERROR_IRQ_CFG2_MemAttr.Get(m.attr), smmu.SMMU_GERROR_IRQ_CFG2_SH.Get(m.attr)),
		})
	}
	s.wires.pulse(line)
}

// wires pulses interrupt lines, in order.
type wires struct {
	s       *SMMU
	channel sim.Channel
	events  sim.Channel // to PEs
}

func (w *wires) init(s *SMMU) {
	w.s = s
	s.eng.Register(&w.channel, s.master.Name+" interrupts")
	s.eng.Register(&w.events, s.master.Name+" events")
}

// pulse drives a line high and low again. A line that is not there is none.
func (w *wires) pulse(line bus.Line) {
	for i, l := range w.all() {
		if l != nil && l == line {
			w.s.eng.Post(&w.channel, w.s.after(InterruptWire), w, w.s.tag(uint32(i)))
			return
		}
	}
}

func (w *wires) all() [4]bus.Line {
	l := &w.s.lines
	return [...]bus.Line{l.Event, l.PRI, l.Sync, l.Global}
}

// Fire pulses a line.
func (w *wires) Fire(_ sim.Time, arg uint64) {
	if w.s.void(arg) {
		return
	}
	line := w.all()[uint32(arg)]
	line.SetLine(true)
	line.SetLine(false)
}

// A write is an MSI.
type write struct {
	addr, data uint64
	size       uint8
	attr       bus.Attr
	abort      bits.Field // the error that an abort is
	sync       bool       // of a CMD_SYNC
}

// messages writes MSIs, one after another.
//
// Invariant: while any wait, an event is pending: that the first leaves, or arrives.
type messages struct {
	s       *SMMU
	channel sim.Channel
	waiting fifo[write]
	left    bool // the first has left
	syncs   int  // MSIs of CMD_SYNCs that are not visible yet
	t       bus.Transaction
}

func (m *messages) init(s *SMMU) {
	m.s = s
	s.eng.Register(&m.channel, s.master.Name+" MSIs")
}

func (m *messages) reset() {
	m.waiting.clear()
	m.left, m.syncs = false, 0
}

// send makes an MSI leave after its time.
func (m *messages) send(w write) {
	m.waiting.push(w)
	if w.sync {
		m.syncs++
	}
	if m.waiting.len() == 1 {
		m.s.eng.Post(&m.channel, m.s.after(MessageIssue), m, m.s.tag(0))
	}
}

// Fire writes the first message, or finds that it has arrived.
func (m *messages) Fire(now sim.Time, arg uint64) {
	s := m.s
	if s.void(arg) {
		return
	}
	w := m.waiting.front()
	if !m.left {
		m.left = true
		s.eng.Post(&m.channel, m.issue(w, now), m, s.tag(0))
		return
	}
	m.left = false
	if w.sync {
		m.syncs--
	}
	m.waiting.pop()
	s.stats.MSIs++
	if m.waiting.len() > 0 {
		s.eng.Post(&m.channel, s.after(MessageIssue), m, s.tag(0))
	}
	s.cmdq.progress()
}

// issue writes a message, and is the time at which it is visible.
func (m *messages) issue(w *write, now sim.Time) sim.Time {
	s := m.s
	m.t = bus.Transaction{Master: s.master, At: now, Addr: bus.Addr(w.addr), Len: w.size, Op: bus.Write, Attr: w.attr}
	m.t.Data[0] = w.data
	a := s.memory.Transact(&m.t)
	if s.eng.Tracing {
		s.trace("MSI 0x%x to 0x%x%s", w.data, w.addr, faultText(a.Fault))
	}
	if failed(a.Fault) {
		s.raise(w.abort)
	}
	return a.Done
}

// failed reports whether a fault is an abort; a register that is not there is none on the bus.
func failed(f bus.Fault) bool { return f != bus.NoFault && f != bus.NoRegister }

func faultText(f bus.Fault) string {
	if failed(f) {
		return ", aborted: " + f.String()
	}
	return ""
}
