package linux

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A MaskName is one of the kernel's masks of CPUs (kernel/cpu.c). All lie in simulated memory, one behind the other,
// and behind them __num_online_cpus, nr_cpu_ids, and stop_in_progress of arch/arm64/kernel/smp.c.
type MaskName uint8

// The masks. Possible are the CPUs that the kernel has data for, present those that can come up; a PE that the
// interrupt controller reaches need be neither.
const (
	CPUOnlineMask MaskName = iota
	CPUPossibleMask
	CPUPresentMask

	maskNames = 3
)

var maskSymbols = [maskNames]string{"cpu_online_mask", "cpu_possible_mask", "cpu_present_mask"}

// String is the mask's name in the kernel's source.
func (n MaskName) String() string { return maskSymbols[n] }

// cpus are the places of what the kernel knows of the CPUs as a whole.
type cpus struct {
	at    uint64
	words int // of a mask
	nr    int // nr_cpu_ids
	all   CPUMask

	booting bool // system_state is not yet SYSTEM_RUNNING
}

// size is the memory that they take.
func (v *cpus) size() uint64 { return v.stopInProgress() + 4 - v.at }

func (v *cpus) word(n MaskName, cpu int) uint64 { return v.at + uint64(8*(int(n)*v.words+cpu/64)) }

func (v *cpus) numOnline() uint64 { return v.at + uint64(8*maskNames*v.words) }

func (v *cpus) nrCPUIDs() uint64 { return v.numOnline() + 4 }

func (v *cpus) stopInProgress() uint64 { return v.nrCPUIDs() + 4 }

// symbol names an address among them, "" for any other.
func (v *cpus) symbol(addr uint64) string {
	switch {
	case addr < v.at || addr >= v.at+v.size():
		return ""
	case addr == v.numOnline():
		return "__num_online_cpus"
	case addr == v.nrCPUIDs():
		return "nr_cpu_ids"
	case addr == v.stopInProgress():
		return "stop_in_progress"
	}
	word := int(addr-v.at) / 8
	return fmt.Sprintf("%s[%d]", MaskName(word/v.words), word%v.words)
}

// limit is a number of CPUs that an option asks for, all of them if it does not.
func limit(asked, all int) int {
	if asked == 0 {
		return all
	}
	return min(asked, all)
}

// setupCPUs lays out the masks as smp_init_cpus and smp_prepare_cpus leave them, before any secondary CPU comes up: a
// CPU below nr_cpu_ids is possible and present.
func (k *Kernel) setupCPUs() error {
	n := len(k.percpu)
	v := &k.cpus
	v.words, v.nr, v.booting = maskWords(n), limit(k.Options.NRCPUs, n), true
	var err error
	if v.at, err = k.platform.AllocateMemory(v.size(), 0); err != nil {
		return err
	}
	v.all = NewCPUMask(v.nr)
	for i := range v.nr {
		v.all.Set(i)
	}
	k.SetMask(CPUPossibleMask, v.all)
	k.SetMask(CPUPresentMask, v.all)
	k.platform.Poke(v.nrCPUIDs(), 4, uint64(v.nr))
	return nil
}

// NRCPUIDs is nr_cpu_ids: CPUs from there on do not exist for the kernel.
func (k *Kernel) NRCPUIDs() int { return k.cpus.nr }

// BootCPUs is the number of CPUs that the boot brings up: maxcpus= of the kernel's command line.
func (k *Kernel) BootCPUs() int { return limit(k.Options.MaxCPUs, k.cpus.nr) }

// Mask is a mask as it stands in memory, for inspection.
func (k *Kernel) Mask(n MaskName) CPUMask {
	m := NewCPUMask(k.cpus.nr)
	for i := range m {
		m[i] = k.platform.Peek(k.cpus.word(n, 64*i), 8)
	}
	return m
}

// Online is cpu_online_mask as it stands in memory, for inspection.
func (k *Kernel) Online() CPUMask { return k.Mask(CPUOnlineMask) }

// SetMask changes a mask as a debugger does, and __num_online_cpus with that of the online CPUs.
func (k *Kernel) SetMask(n MaskName, m CPUMask) {
	for i := range k.cpus.words {
		word := uint64(0)
		if i < len(m) {
			word = m[i]
		}
		k.platform.Poke(k.cpus.word(n, 64*i), 8, word)
	}
	if n == CPUOnlineMask {
		k.platform.Poke(k.cpus.numOnline(), 4, uint64(m.Weight()))
	}
}

// MaskAddress is where a mask lies, and NumOnlineAddress where __num_online_cpus does.
func (k *Kernel) MaskAddress(n MaskName) uint64 { return k.cpus.word(n, 0) }
func (k *Kernel) NumOnlineAddress() uint64      { return k.cpus.numOnline() }

// ReadMaskWord loads the word of a mask that a CPU is in.
func (k *Kernel) ReadMaskWord(c *cpu.CPU, n MaskName, target int) uint64 {
	return readOnce(c, k.cpus.word(n, target))
}

// cpuOnline is cpu_online(cpu): a load of its word of the mask.
func (k *Kernel) cpuOnline(c *cpu.CPU, target int) bool { return k.testCPU(c, CPUOnlineMask, target) }

func (k *Kernel) testCPU(c *cpu.CPU, n MaskName, target int) bool {
	word := k.ReadMaskWord(c, n, target)
	c.Branch(c.Loaded())
	return word>>(target%64)&1 != 0
}

// NumOnlineCPUs is num_online_cpus(): a load of the counter.
func (k *Kernel) NumOnlineCPUs(c *cpu.CPU) int { return int(c.Load(k.cpus.numOnline(), 4, bus.Plain)) }

// SetCPUOnline is set_cpu_online of the CPU itself: its bit of the mask, then the counter. Between the two they differ.
func (k *Kernel) SetCPUOnline(c *cpu.CPU, online bool) {
	word, bit := k.cpus.word(CPUOnlineMask, c.ID), c.ID%64
	switch {
	case online && !k.Arch.TestAndSetBit(c, word, bit):
		k.countOnline(c, 1)
	case !online && k.Arch.TestAndClearBit(c, word, bit):
		k.countOnline(c, -1)
	}
}

// countOnline changes __num_online_cpus. During the boot that takes no time: nobody else runs.
func (k *Kernel) countOnline(c *cpu.CPU, n int) {
	at := k.cpus.numOnline()
	if k.cpus.booting {
		k.platform.Poke(at, 4, k.platform.Peek(at, 4)+uint64(n))
		return
	}
	k.Arch.AtomicAdd(c, at, n)
}

// Booted is the end of the boot: system_state is SYSTEM_RUNNING.
func (k *Kernel) Booted() { k.cpus.booting = false }

// WaitForNumOnline waits until so many CPUs are online; false if the timeout passed first.
func (k *Kernel) WaitForNumOnline(c *cpu.CPU, n int, timeout sim.Time) bool {
	_, ok := c.Wait(k.cpus.numOnline(), 4, bus.Plain, func(v uint64) bool { return v == uint64(n) }, timeout)
	return ok
}

// SetStopInProgress says that all other CPUs are to stop for ever, and StopInProgress loads that.
func (k *Kernel) SetStopInProgress(c *cpu.CPU) { c.Store(k.cpus.stopInProgress(), 4, 1, bus.Plain) }

func (k *Kernel) StopInProgress(c *cpu.CPU) bool {
	v := c.Load(k.cpus.stopInProgress(), 4, bus.Plain)
	c.Branch(c.Loaded())
	return v != 0
}

// knows is why a number names no CPU of the kernel, nil if it does.
func (k *Kernel) knows(target int) error {
	if target < 0 || target >= k.cpus.nr {
		return fmt.Errorf("CPU %d: expected 0 to %d", target, k.cpus.nr-1)
	}
	return nil
}
