// Package its is a register-true model of a GICv3 Interrupt Translation Service: it turns the messages of devices into
// LPIs by tables in memory, which software changes by commands in a queue.
//
// Documents:
//   - Arm IHI 0069, Generic Interrupt Controller architecture, versions 3 and 4: chapter 5 for tables and commands,
//     12.18 and 12.19 for the registers.
package its
