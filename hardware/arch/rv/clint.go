package rv

// The core-local interruptor of SiFive, in whose place ACLINT has an MSWI and an MTIMER. Registers are numbered by hart
// id.
const (
	CLINT_MSIP     = 0x0000 // [4095 x 4] Machine software interrupt pending: bit 0.
	CLINT_MTIMECMP = 0x4000 // [4095 x 8] Machine timer compare.
	CLINT_MTIME    = 0xbff8 // Machine timer.

	// Of T-Head cores, which have no mtime here.
	CLINT_SSIP     = 0xc000 // [1024 x 4] Supervisor software interrupt pending: bit 0, a level.
	CLINT_STIMECMP = 0xd000 // [1024 x 8] Supervisor timer compare.
)

// The supervisor software interrupts of ACLINT.
const SSWI_SETSSIP = 0x0000 // [4095 x 4] Writing 1 sets SSIP of a hart once; reads as zero.
