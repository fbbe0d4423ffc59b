// The entry of every CPU, and the exception vectors. CPU 0 starts at _start, the others where guest.c sends them
// (secondary); all run at EL1 with the MMU off.

	.section .text.start, "ax"
	.globl	_start, secondary, vectors
_start:
	mov	x0, #0
secondary:				// x0: the CPU's number
	msr	daifset, #15
	adrp	x1, stacks_end
	add	x1, x1, :lo12:stacks_end
	mov	x2, #4096
	msub	x1, x0, x2, x1
	mov	sp, x1
	adr	x1, vectors
	msr	vbar_el1, x1
	isb
	cbz	x0, boot
	b	target
boot:
	bl	caller
1:	wfi
	b	1b

	.balign	2048
vectors:
	.rept	5			// up to: synchronous, current EL with SP_ELx. Only the next one is expected.
	b	unexpected
	.balign	128
	.endr
	stp	x0, x1, [sp, #-176]!	// IRQ, current EL with SP_ELx
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x16, x17, [sp, #128]
	stp	x18, x30, [sp, #144]
	bl	interrupt
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldp	x8, x9, [sp, #64]
	ldp	x10, x11, [sp, #80]
	ldp	x12, x13, [sp, #96]
	ldp	x14, x15, [sp, #112]
	ldp	x16, x17, [sp, #128]
	ldp	x18, x30, [sp, #144]
	ldp	x0, x1, [sp], #176
	eret
