package rv

// Cause is an exception code as scause has it. Volume II, 12.1.8.
type Cause uint8

// The exceptions that harts here have.
const (
	IllegalInstruction Cause = 2
	LoadMisaligned     Cause = 4
	LoadAccess         Cause = 5
	StoreMisaligned    Cause = 6
	StoreAccess        Cause = 7
	FetchAccess        Cause = 1
	FetchPage          Cause = 12
	LoadPage           Cause = 13
	StorePage          Cause = 15
)

// String is the exception as the manual calls it.
func (c Cause) String() string {
	switch c {
	case IllegalInstruction:
		return "illegal instruction"
	case LoadMisaligned:
		return "load address misaligned"
	case LoadAccess:
		return "load access fault"
	case StoreMisaligned:
		return "store/AMO address misaligned"
	case StoreAccess:
		return "store/AMO access fault"
	case FetchAccess:
		return "instruction access fault"
	case FetchPage:
		return "instruction page fault"
	case LoadPage:
		return "load page fault"
	case StorePage:
		return "store/AMO page fault"
	}
	return "unknown exception"
}

// Privilege is a privilege mode, by its encoding.
type Privilege uint8

// The modes.
const (
	User       Privilege = 0
	Supervisor Privilege = 1
	Machine    Privilege = 3
)

// String is the mode's letter.
func (p Privilege) String() string { return string("US?M"[p&3]) }
