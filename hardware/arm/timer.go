package arm

import (
	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// timer is one of the generic timer's at EL1: the physical one, CNTP_*, or the virtual one, CNTV_*, whose offset is 0.
// DDI 0487, D12.2. CompareValue is an unsigned number that the counter reaches; TimerValue is a signed one of 32 bits
// that counts down to it.
//
// Timed, the condition is that the counter has reached CompareValue. Explored, time means nothing: a timer that runs
// may expire before or after anything else, and has met its condition from then on until it is programmed anew.
type timer struct {
	pe      *PE
	name    string
	line    bus.Line // level-sensitive, to the interrupt controller
	channel sim.Channel
	expiry  sim.Event
	timerState
}

// timerState is what programs change.
type timerState struct {
	control uint64 // CNTP_CTL_EL0.{ENABLE,IMASK}
	compare uint64 // CNTP_CVAL_EL0
	expired bool   // explored: the condition is met
	high    bool   // level of the line
}

// The fields of a timer's control register are those of CNTP_CTL_EL0; CNTV_CTL_EL0 has the same.
const (
	timerEnable   = a64.CNTP_CTL_EL0_ENABLE
	timerMask     = a64.CNTP_CTL_EL0_IMASK
	timerStatus   = a64.CNTP_CTL_EL0_ISTATUS
	timerWritable = uint64(timerEnable | timerMask)
)

// ConnectTimers gives the PE the interrupt lines of its physical and its virtual timer.
func (p *PE) ConnectTimers(physical, virtual bus.Line) {
	p.physical.connect(p, "CNTP", physical)
	p.virtual.connect(p, "CNTV", virtual)
}

func (t *timer) connect(p *PE, name string, line bus.Line) {
	t.pe, t.name, t.line = p, name, line
	p.Engine().Register(&t.channel, p.String()+" "+name+" timer")
}

// met is the timer condition.
func (t *timer) met() bool {
	if t.pe.Graphed() {
		return t.expired
	}
	return t.pe.Counter() >= t.compare
}

// readControl: ISTATUS does not care about IMASK; without ENABLE it is UNKNOWN, here 0.
func (t *timer) readControl() uint64 {
	if timerEnable.Is(t.control) && t.met() {
		return t.control | uint64(timerStatus)
	}
	return t.control
}

// writeControl sets ENABLE and IMASK. A timer that was not enabled begins anew.
func (t *timer) writeControl(v uint64) {
	if !timerEnable.Is(t.control) {
		t.expired = false
	}
	t.control = v & timerWritable
	t.arm()
}

func (t *timer) readCompare() uint64 {
	return t.compare
}

func (t *timer) writeCompare(v uint64) {
	t.compare, t.expired = v, false
	t.arm()
}

// readValue is TimerValue: how far the counter is from CompareValue.
func (t *timer) readValue() uint64 {
	return uint64(uint32(t.compare - t.pe.Counter()))
}

// writeValue sets CompareValue that far from the counter; the value is signed.
func (t *timer) writeValue(v uint64) { t.writeCompare(t.pe.Counter() + uint64(int64(int32(v)))) }

// arm posts the expiry of a timer that runs and has not met its condition, in place of one that was posted before, and
// drives the line. One beyond the end of time never comes.
func (t *timer) arm() {
	if t.pe.Graphed() { // the graph says when it expires
		t.drive()
		return
	}
	e := t.pe.Engine()
	e.Cancel(t.expiry)
	t.expiry = sim.Event{}
	if at := t.pe.spec.CounterFreq.Reaches(t.compare); timerEnable.Is(t.control) && !t.met() && at < sim.EndOfTime {
		t.expiry = e.Post(&t.channel, at, t, 0)
	}
	t.drive()
}

// drive makes the line follow: high while the condition is met and the interrupt not masked.
func (t *timer) drive() {
	high := timerEnable.Is(t.control) && !timerMask.Is(t.control) && t.met()
	if high != t.high {
		t.high = high
		t.line.SetLine(high)
	}
}

// Fire is the expiry.
func (t *timer) Fire(now sim.Time, _ uint64) {
	t.expiry, t.expired = sim.Event{}, true
	if e := t.pe.Engine(); e.Tracing {
		e.Trace(now, t.pe.String(), "%s timer expires", t.name)
	}
	t.drive()
}

// save withdraws the expiry, since nothing may be in flight when a checkpoint is taken; restore posts it again. The
// interrupt controller's checkpoint has the line.
func (t *timer) save() timerState {
	t.pe.Engine().Cancel(t.expiry)
	s := t.timerState
	s.expired = t.met() // what is saved timed is restored explored
	return s
}

func (t *timer) restore(s timerState) {
	t.timerState, t.expiry = s, sim.Event{}
	t.arm()
}

// readTimers and writeTimers are MRS and MSR of the timers' registers; false for any other.
func (p *PE) readTimers(r bits.SysReg) (uint64, bool) {
	switch r {
	case a64.CNTP_CTL_EL0:
		return p.physical.readControl(), true
	case a64.CNTP_CVAL_EL0:
		return p.physical.readCompare(), true
	case a64.CNTP_TVAL_EL0:
		return p.physical.readValue(), true
	case a64.CNTV_CTL_EL0:
		return p.virtual.readControl(), true
	case a64.CNTV_CVAL_EL0:
		return p.virtual.readCompare(), true
	case a64.CNTV_TVAL_EL0:
		return p.virtual.readValue(), true
	}
	return 0, false
}

func (p *PE) writeTimers(r bits.SysReg, v uint64) bool {
	switch r {
	case a64.CNTP_CTL_EL0:
		p.physical.writeControl(v)
	case a64.CNTP_CVAL_EL0:
		p.physical.writeCompare(v)
	case a64.CNTP_TVAL_EL0:
		p.physical.writeValue(v)
	case a64.CNTV_CTL_EL0:
		p.virtual.writeControl(v)
	case a64.CNTV_CVAL_EL0:
		p.virtual.writeCompare(v)
	case a64.CNTV_TVAL_EL0:
		p.virtual.writeValue(v)
	default:
		return false
	}
	return true
}
