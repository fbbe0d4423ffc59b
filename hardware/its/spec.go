package its

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bus"
)

// Spec says which ITS to build. Start from [DefaultSpec].
type Spec struct {
	// Redistributors are the addresses of the redistributors' RD_base, in the order of their processor numbers.
	Redistributors []bus.Addr
	// PTA: commands name a redistributor by its address. Otherwise by its processor number.
	PTA bool

	DeviceBits     int // of a DeviceID, up to 32
	EventBits      int // of an EventID, up to 32
	CollectionBits int // of an ICID, up to 16
	INTIDBits      int // of an INTID in the whole GIC, 14 to 32

	ITESize  int  // bytes of an entry of an interrupt translation table: 8 or 16
	ITTEntry int  // what GITS_TYPER says of that, up to 16
	Indirect bool // tables can have two levels

	// HCC is how many collections the ITS holds itself, up to 255. CCT adds those of a table in memory to them; without
	// it, a table in memory takes their place.
	HCC int
	CCT bool

	// Stall: a command in error stops the queue until software asks for a retry. Otherwise it is ignored.
	Stall bool
	// DS is one security state: GITS_CREADR can be written while the ITS is disabled.
	DS bool

	// Translations is how many messages are looked up at once.
	Translations int

	// DeviceCache, EventCache and CollectionCache are how many entries of each kind of table the ITS keeps, 0 for none.
	DeviceCache, EventCache, CollectionCache int
	// CacheByHint: an entry is kept only if the register of its table has the read-allocation hint.
	CacheByHint bool

	IIDR uint32   // GITS_IIDR
	PIDR [5]uint8 // GITS_PIDR0 to GITS_PIDR4
}

// DefaultSpec is an ITS that keeps nothing, for 16-bit devices, events, collections and LPIs, and the identification of
// Arm's GIC-500.
func DefaultSpec(redistributors []bus.Addr) Spec {
	return Spec{
		Redistributors: redistributors,
		DeviceBits:     16, EventBits: 16, CollectionBits: 16, INTIDBits: 16, ITESize: 8, ITTEntry: 8, Indirect: true,
		DS: true, Translations: 1,
		IIDR: 0x43b, PIDR: [5]uint8{0x94, 0xb4, 0x3b, 0x00, 0x44},
	}
}

// maxCache is the largest number of entries that an ITS keeps of a kind.
const maxCache = 1 << 16

// Validate names the field that makes no ITS, and its limit.
func (s *Spec) Validate() error {
	for _, f := range []struct {
		name          string
		v, low, limit int
	}{
		{"Redistributors", len(s.Redistributors), 1, int(orderOther.Max()) + 1},
		{"DeviceBits", s.DeviceBits, 1, 32},
		{"EventBits", s.EventBits, 1, 32},
		{"CollectionBits", s.CollectionBits, 1, 16},
		{"INTIDBits", s.INTIDBits, 14, 32},
		{"ITTEntry", s.ITTEntry, 1, 16},
		{"HCC", s.HCC, 0, 255},
		{"Translations", s.Translations, 1, 256},
		{"DeviceCache", s.DeviceCache, 0, maxCache},
		{"EventCache", s.EventCache, 0, maxCache},
		{"CollectionCache", s.CollectionCache, 0, maxCache},
	} {
		if f.v < f.low || f.v > f.limit {
			return fmt.Errorf("its: %s is %d: want %d to %d", f.name, f.v, f.low, f.limit)
		}
	}
	if s.ITESize != 8 && s.ITESize != 16 {
		return fmt.Errorf("its: ITESize is %d: want 8 or 16", s.ITESize)
	}
	return nil
}
