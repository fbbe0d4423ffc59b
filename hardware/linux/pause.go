package linux

import (
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
)

// PauseForm is a form in which the pause of remote CPUs was posted.
type PauseForm uint8

// The forms.
const (
	PauseV1  PauseForm = iota // two masks of CPUs; October 2024
	PauseV2                   // a flag and a counter; November 2024
	PauseRFC                  // two masks and WFE, one pause for each page table entry; August 2024

	pauseForms = 3
)

var pauseNames = [pauseForms]string{"v1", "v2", "rfc"}

// String is the form's name in scripts.
func (f PauseForm) String() string { return pauseNames[f] }

// PauseData is where the data of a pause is: a lock; two masks, or a flag and a counter.
type PauseData struct {
	Form            PauseForm
	Lock            uint64
	Paused, Resumed uint64
	Flag, Count     uint64
	Words           int // of a mask that are in use
}

// AllocatePause lays the data out. The two parts lie on one line, or on lines of their own.
func (k *Kernel) AllocatePause() error {
	l := &k.late
	if l.pause != nil {
		return nil
	}
	var lines []uint64
	size := uint64(max(8*maskWords(k.cpus.nr), 8))
	apart := !k.Options.PauseOneLine || 2*size > mem.LineSize
	for _, n := range []uint64{mem.LineSize, 2 * size, size} {
		addr, err := k.platform.AllocateMemory(n, 0)
		if err != nil {
			return err
		}
		lines = append(lines, addr)
	}
	if !apart {
		lines[2] = lines[1] + mem.LineSize/2
	}
	if err := k.allocateNodes(); err != nil {
		return err
	}
	l.pause = lines
	return nil
}

// PauseAllocated reports whether a CPU has ever paused the others.
func (k *Kernel) PauseAllocated() bool { return k.late.pause != nil }

// Pause is where the data is, which has been laid out.
func (k *Kernel) Pause() PauseData {
	p := k.late.pause
	return PauseData{
		Form: k.Options.Pause, Lock: p[0], Paused: p[1], Resumed: p[2], Flag: p[2], Count: p[1], Words: maskWords(k.cpus.nr),
	}
}

// pauseSymbol names an address in the data, "" for any other.
func (k *Kernel) pauseSymbol(addr uint64) string {
	if !k.PauseAllocated() {
		return ""
	}
	d := k.Pause()
	span := uint64(8 * d.Words)
	switch {
	case addr == d.Lock:
		return "cpu_pause_lock"
	case d.Form == PauseV2 && addr == d.Flag:
		return "cpu_paused"
	case d.Form == PauseV2 && addr == d.Count:
		return "nr_cpus_paused"
	case d.Form != PauseV2 && addr-d.Paused < span:
		return "paused_cpus"
	case d.Form != PauseV2 && addr-d.Resumed < span:
		return "resumed_cpus"
	}
	return ""
}

// OthersOnline copies cpu_online_mask and clears the own CPU in the copy, which is good until the next one.
func (k *Kernel) OthersOnline(c *cpu.CPU) CPUMask {
	m := k.percpu[c.ID].copied
	for i := range m {
		m[i] = k.ReadMaskWord(c, CPUOnlineMask, 64*i)
	}
	k.maskPass(c)
	m[c.ID/64] &^= 1 << (c.ID % 64)
	return m
}
