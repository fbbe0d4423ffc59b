// Package its is a register-true model of a GICv3 Interrupt Translation Service: it turns the messages of devices into
// LPIs by tables in memory, which software changes by commands in a queue.
//
// Documents:
//   - Arm IHI 0069, Generic Interrupt Controller architecture, versions 3 and 4: chapter 5 for tables and commands,
//     12.18 and 12.19 for the registers.
//
// # Block diagram
//
//	GITS_CWRITER ──▶ queue ──▶ command ──▶┐                        ┌──▶ wire to a redistributor ──▶ SetLPI, ...
//	                                      ├──▶ walk of the tables ─┤
//	GITS_TRANSLATER ──▶ waiting ──▶ slots ┘        │    ▲          └──▶ a table is changed
//	                                               ▼    │
//	                                            transactions
//
// A command, and a message that is being looked up, is an operation: a list of steps, each of which makes an access,
// tells a redistributor something, waits, or ends with an error. There is one command at a time, and as many messages
// as the Spec says; others wait. An operation makes an access when the one before has been answered.
//
// # The queue
//
//	        CWRITER                 fetched, decoded        done: CREADR moves
//	empty ───────────▶ fetching ─────────────────▶ running ──────────────────▶ empty, or fetching
//	                      │                           │
//	                      └───── the access faults ───┤ an error, with Stall; a fault
//	                                                  ▼
//	                                               stalled ── CWRITER.Retry ──▶ fetching
//
// A command is done when what it says stands in the tables and has been handed to the wire; MOVI and MOVALL when the
// state has moved, and SYNC when its redistributor has answered. An operation sees tables in which a command has done
// all or nothing: commands that change them wait for the messages that are being looked up, and hold others back.
//
// # Tables
//
//	DeviceID ─▶ [level 1 ─▶] DTE ── ITT address ─▶ ITE ── INTID, ICID ─▶ CTE ── redistributor
//
// Entries are read from memory at each look-up; those that the Spec lets the ITS keep are not, until a command changes
// them. Interrupt translation tables are accessed with the attributes of the device table.
//
// # Errors
//
// What software does wrong is an [Event] and has the effect that the manual allows: a command is ignored or stalls the
// queue, a message is dropped, a register is not written.
//
// # Left out
//
// GICv4: its commands are errors. System errors (GITS_TYPER.SEIS), GITS_STATUSR.
//
// Reading order: ports.go, spec.go, state.go, its.go, regs.go, queue.go, translate.go, operation.go, command.go,
// table.go, cache.go, wire.go, perform.go, event.go, decode.go, dump.go.
package its
