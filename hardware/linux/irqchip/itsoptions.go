package irqchip

import "github.com/hwscript/hwscript/hardware/arch/gic"

// ITSVersion is the kernel whose driver of the ITS runs (drivers/irqchip/irq-gic-v3-its.c).
type ITSVersion uint8

// The versions.
const (
	ITS49  ITSVersion = iota // 4.9
	ITS517                   // 5.17
)

// String is the version's name in scripts.
func (v ITSVersion) String() string { return [...]string{"4.9", "5.17"}[v] }

// ITSWrap is how its_wait_for_range_completion compares places in the queue.
type ITSWrap uint8

// The comparisons.
const (
	// WrapRange: GITS_CREADR lies outside of the commands. Behind a wrap that misjudges.
	WrapRange ITSWrap = iota
	// WrapLinear: how far GITS_CREADR has come since; commit a050fa5476d4, "Fix command queue pointer comparison bug".
	WrapLinear
)

// String is the comparison's name in scripts.
func (w ITSWrap) String() string { return [...]string{"range", "linear"}[w] }

// ITSCacheability is the InnerCache field that the driver writes to each register that names a table.
type ITSCacheability struct {
	Device, Collection, Queue gic.Cacheability // GITS_BASER<n>, GITS_CBASER
	Config, Pending           gic.Cacheability // GICR_PROPBASER, GICR_PENDBASER
}

// AllTables is the same everywhere: WaWb up to 4.9; RaWaWb since "irqchip/gicv3-its: Enable cacheable attribute
// Read-allocate hints", v2, November 2016.
func AllTables(c gic.Cacheability) ITSCacheability { return ITSCacheability{c, c, c, c, c} }

// ITSOptions are what versions, patches and mistakes change in the ITS's driver.
type ITSOptions struct {
	Version      ITSVersion
	Cacheability ITSCacheability
	Wrap         ITSWrap
	// NoQuirkE0065 leaves its_enable_quirk_qdf2400_e0065 out: the driver believes GITS_TYPER.ITT_entry_size.
	NoQuirkE0065 bool
	// AnyCPU lets an interrupt be bound to a CPU that is not online (HiSilicon kernel-dev PR 39).
	AnyCPU bool
	// NoFlush leaves the barrier between a command and GITS_CWRITER out (its_flush_cmd).
	NoFlush bool
	// NoRWPWait lets redist_disable_lpis return before GICR_CTLR.RWP is 0 (TF-A 81519fbf62a2).
	NoRWPWait bool
}

// DefaultITSOptions is the driver of a version as it was released.
func DefaultITSOptions(v ITSVersion) ITSOptions {
	if v == ITS49 {
		return ITSOptions{Version: v, Cacheability: AllTables(gic.WaWb), Wrap: WrapRange}
	}
	return ITSOptions{Version: v, Cacheability: AllTables(gic.RaWaWb), Wrap: WrapLinear}
}
