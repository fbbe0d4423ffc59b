package gic

// INTID numbers an interrupt. IHI 0069, 2.2.
type INTID uint32

// The ranges of INTIDs and the special ones.
const (
	FirstSGI     INTID = 0    // Software generated interrupts, one set a PE.
	FirstPPI     INTID = 16   // Private peripheral interrupts, one set a PE.
	FirstSPI     INTID = 32   // Shared peripheral interrupts.
	FirstSpecial INTID = 1020 // The special INTIDs, up to 1023; writes of them to EOIR and DIR are ignored.
	SecureID     INTID = 1020 // Seen from EL3: an interrupt for Secure EL1 is pending.
	NonSecureID  INTID = 1021 // Seen from EL3: an interrupt for the Non-secure state is pending.
	LegacyID     INTID = 1022 // Legacy operation, or a non-maskable interrupt is pending.
	Spurious     INTID = 1023 // Nothing to acknowledge.
	FirstEPPI    INTID = 1056 // Extended PPIs, up to 1119.
	FirstESPI    INTID = 4096 // Extended SPIs, up to 5119.
	FirstLPI     INTID = 8192 // Locality-specific peripheral interrupts.
)

// Special reports whether an INTID is one of 1020 to 1023.
func (id INTID) Special() bool { return id&^3 == FirstSpecial }

// IdlePriority is what ICC_RPR_EL1 reads while no interrupt is active: lower than every priority.
const IdlePriority Priority = 0xff

// Priority of an interrupt: the smaller, the more urgent.
type Priority uint8

// Trigger is the value of an interrupt's two bits in GICD_ICFGR and GICR_ICFGR0/1; bit 0 is RES0.
type Trigger uint8

// Triggers.
const (
	Level Trigger = 0 // Pending while the wire is high.
	Edge  Trigger = 2 // Pending since the wire rose.
)

// Cacheability is the value of the InnerCache and OuterCache fields of table registers. As OuterCache, 0 means "the
// same as inner". IHI 0069, 12.11.
type Cacheability uint8

// Cacheabilities: read (Ra) and write (Wa) allocation hints, write-through (Wt) or write-back (Wb).
const (
	Device_nGnRnE Cacheability = 0
	NonCacheable  Cacheability = 1
	RaWt          Cacheability = 2
	RaWb          Cacheability = 3
	WaWt          Cacheability = 4
	WaWb          Cacheability = 5
	RaWaWt        Cacheability = 6
	RaWaWb        Cacheability = 7
)

// Shareability is the value of the Shareability fields of table registers. IHI 0069, 12.11.
type Shareability uint8

// Shareabilities.
const (
	NonShareable   Shareability = 0
	InnerShareable Shareability = 1
	OuterShareable Shareability = 2
)
