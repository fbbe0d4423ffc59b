// Package gicv3 is a register-true model of a GICv3: a distributor, one redistributor and one CPU interface for each
// PE.
//
// Documents:
//   - Arm IHI 0069, Generic Interrupt Controller architecture, versions 3 and 4.
//   - Linux drivers/irqchip/irq-gic-v3.c, for what its most important user relies on.
//
// # Block diagram
//
//	SPI wires ──▶ distributor ── by IROUTER ──▶ redistributor ──▶ CPU interface ──▶ IRQ, FIQ of the PE
//	PPI wires ────────────────────────────────────▶  ▲   ▲              │
//	ITS ── lpiUnit: LPI tables in memory ────────────┘   └─ SGI wires ◀─┘ ICC_SGI1R_EL1 of any PE
//
// Everything acts at once but three things, which take time: an SGI travels as a message on the wire from its sender to
// its target, RWP stays set for a while after the writes that it stands for, and what an ITS or software asks about an
// LPI has to be looked up in memory.
//
// # States of an interrupt
//
//	from                to                    on
//	inactive            pending               wire, SGI, ISPENDR
//	pending             inactive              ICPENDR, wire of a level-sensitive interrupt falling
//	pending             active                IAR
//	active              active and pending    as from inactive to pending
//	active and pending  active                as from pending to inactive
//	active              inactive              EOIR or DIR, ICACTIVER
//	active and pending  pending               EOIR or DIR, ICACTIVER
//	inactive            active                ISACTIVER
//
// A level-sensitive interrupt whose wire is still high when it is acknowledged is active and pending at once. States
// are kept as bits, one word for 32 INTIDs: see bank in state.go.
//
// # LPIs
//
// An LPI has no active state. Each redistributor serves what it is asked one after another:
//
//	SetLPI ──▶ queue ──▶ configuration byte ─┬─ together ──▶ pending: presented ──▶ pending bit written
//	                     pending bit ────────┘
//
// Whether the pending table is read and written for each LPI, and whether configuration bytes are kept, are options of
// the Spec. IHI 0069, 5.1, leaves both to the implementation: software may read the pending table when it has cleared
// EnableLPIs and RWP is 0, and a changed configuration takes effect by an invalidation.
//
// # Sleep and power
//
//	         ProcessorSleep = 0 ── waking up ── ChildrenAsleep = 0
//	asleep ◀─────────────────────────────────────────────────────▶ awake
//	         ChildrenAsleep = 1 ── falling asleep ── ProcessorSleep = 1
//
//	any ── SetPower(off) ──▶ off ── SetPower(on) ──▶ asleep
//
// Awake, the redistributor presents what is pending; otherwise it latches what comes. While ProcessorSleep is set it
// asks for a wake-up. Off, it has no state, and an SGI that arrives is lost.
//
// # Speed
//
// An SGI costs the same however many PEs there are: a hash finds the cluster that the write names, a bit of the list
// its member. Each redistributor keeps the word of its own interrupts and its best SPI; acknowledging looks at these
// only.
//
// # Left out
//
// GICv2 legacy, extended PPIs and SPIs, NMIs, GICv4; GICD_CTLR.E1NWF and ICC_CTLR_EL1.PMHE are RES0.
//
// Reading order: spec.go, state.go, gic.go, regs.go, banks.go, distributor.go, route.go, redistributor.go, waker.go,
// lpi.go, lpitable.go, cpuif.go, priority.go, sgi.go, wire.go, states.go, statelpi.go, dump.go, stats.go.
package gicv3
