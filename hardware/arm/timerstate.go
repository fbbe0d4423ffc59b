package arm

import (
	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/bits"
)

// The timers of a PE by number.
const (
	PhysicalTimer = iota
	VirtualTimer

	Timers
)

// A TimerState is what an execution graph has of a timer: it is compared. When the timer expires is the graph's to say.
type TimerState struct{ state timerState }

// Due reports whether the timer will expire.
func (s TimerState) Due() bool { return timerEnable.Is(s.state.control) && !s.state.expired }

func (p *PE) timer(number int) *timer { return [Timers]*timer{&p.physical, &p.virtual}[number] }

// TimerState is the state of a timer.
func (p *PE) TimerState(number int) TimerState { return TimerState{p.timer(number).timerState} }

// SetTimerState brings a timer into a state, and drives no wire.
func (p *PE) SetTimerState(number int, s TimerState) { p.timer(number).timerState = s.state }

// ExpireTimer makes a timer's condition met.
func (p *PE) ExpireTimer(number int) {
	t := p.timer(number)
	t.expired = true
	t.drive()
}

// TimerOf is the timer to which a system register belongs, and whether it does to any.
func TimerOf(r bits.SysReg) (number int, ok bool) {
	switch r {
	case a64.CNTP_CTL_EL0, a64.CNTP_CVAL_EL0, a64.CNTP_TVAL_EL0:
		return PhysicalTimer, true
	case a64.CNTV_CTL_EL0, a64.CNTV_CVAL_EL0, a64.CNTV_TVAL_EL0:
		return VirtualTimer, true
	}
	return 0, false
}
