package explore

import "github.com/hwscript/hwscript/hardware/sim"

// priorities is the probabilistic concurrency testing of Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized
// scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010: every channel draws a priority, the highest
// moves, and at a few random steps the channel that would move falls to the bottom.
type priorities struct {
	state   uint64
	drawn   map[int32]uint64
	changes [changePoints]int
	step    int
	lowest  uint64
}

const changePoints = 2

// newPriorities draws for one execution, of about the given number of steps.
func newPriorities(seed, execution uint64, length int) *priorities {
	p := &priorities{state: seed*0x9e3779b97f4a7c15 + execution, drawn: map[int32]uint64{}, lowest: 1 << 32}
	for i := range p.changes {
		p.changes[i] = int(p.draw() % uint64(max(length, 1)))
	}
	return p
}

// draw is one step of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
func (p *priorities) draw() uint64 {
	p.state += 0x9e3779b97f4a7c15
	z := p.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (p *priorities) next(ready []*sim.Channel) int {
	i := p.highest(ready)
	for _, change := range p.changes {
		if p.step == change {
			p.lowest--
			p.drawn[ready[i].ID()] = p.lowest
			i = p.highest(ready)
		}
	}
	p.step++
	return i
}

func (p *priorities) highest(ready []*sim.Channel) int {
	best, at := uint64(0), 0
	for i, ch := range ready {
		v, ok := p.drawn[ch.ID()]
		if !ok {
			v = p.draw() | 1<<63
			p.drawn[ch.ID()] = v
		}
		if v > best {
			best, at = v, i
		}
	}
	return at
}

// choose takes the first outcome half of the time.
func (p *priorities) choose(count int) int {
	if r := p.draw(); r&1 != 0 {
		return int(r >> 1 % uint64(count))
	}
	return 0
}
