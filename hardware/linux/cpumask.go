package linux

import (
	mathbits "math/bits"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// CPUMask is a set of logical CPU numbers, struct cpumask.
type CPUMask []uint64

func maskWords(cpus int) int { return (cpus + 63) / 64 }

// NewCPUMask is an empty mask for a number of CPUs.
func NewCPUMask(cpus int) CPUMask { return make(CPUMask, maskWords(cpus)) }

// Set adds a CPU.
func (m CPUMask) Set(cpu int) { m[cpu/64] |= 1 << (cpu % 64) }

// Has reports whether a CPU is in the mask.
func (m CPUMask) Has(cpu int) bool { return cpu >= 0 && cpu/64 < len(m) && m[cpu/64]>>(cpu%64)&1 != 0 }

// Next is the first CPU of the mask from cpu on, -1 if there is none (cpumask_next takes cpu+1).
func (m CPUMask) Next(cpu int) int {
	if cpu >= 64*len(m) {
		return -1
	}
	i, first := cpu/64, uint(cpu)%64
	w := m[i] >> first << first
	for {
		if w != 0 {
			return i*64 + mathbits.TrailingZeros64(w)
		}
		if i++; i == len(m) {
			return -1
		}
		w = m[i]
	}
}

// Last is the last CPU of the mask, -1 if it is empty.
func (m CPUMask) Last() int {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i] != 0 {
			return 64*i + 63 - mathbits.LeadingZeros64(m[i])
		}
	}
	return -1
}

// Weight is the number of CPUs in the mask.
func (m CPUMask) Weight() int {
	n := 0
	for _, w := range m {
		n += mathbits.OnesCount64(w)
	}
	return n
}

// bitBitmap serves all masks of one CPU from 64 arrays, as cpu_bit_bitmap does (include/linux/cpumask.h).
type bitBitmap struct {
	words  int
	arrays [64]CPUMask
}

func newBitBitmap(cpus int) *bitBitmap {
	b := &bitBitmap{words: maskWords(cpus)}
	backing := make(CPUMask, 64*(2*b.words-1))
	for bit := range b.arrays {
		b.arrays[bit] = backing[bit*(2*b.words-1) : (bit+1)*(2*b.words-1)]
		b.arrays[bit][b.words-1] = 1 << bit
	}
	return b
}

// of is cpumask_of(cpu).
func (b *bitBitmap) of(cpu int) CPUMask {
	start := b.words - 1 - cpu/64
	return b.arrays[cpu%64][start : start+b.words]
}

// CPUMaskOf is cpumask_of(cpu).
func (k *Kernel) CPUMaskOf(cpu int) CPUMask { return k.percpu[cpu].cpumask }

// NextCPU is one step of for_each_cpu: the first CPU of the mask from a number on, -1 if there is none.
func (k *Kernel) NextCPU(c *cpu.CPU, mask CPUMask, from int) int {
	next := mask.Next(from)
	words := len(mask) - from/64
	if next >= 0 {
		words = next/64 - from/64 + 1
	}
	c.Delay(k.cost.maskWord * sim.Time(max(words, 1)))
	return next
}
