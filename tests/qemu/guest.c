// A guest without an operating system that does what the loop of gic/ipi_latency.lua does, for comparison: CPU 0 stores
// to seven lines, sends SGI 1 to one CPU after another, and waits each time until that CPU's handler has answered. It
// prints how long one call takes, by the counter, which QEMU makes of the host's clock.
//
// The machine is QEMU's "virt" with a GICv3: its addresses below. ROUNDS and CPUS come from the command line.
typedef unsigned int u32;
typedef unsigned long u64;

#define GICD 0x08000000UL
#define GICR 0x080a0000UL
#define GICR_STRIDE 0x20000UL
#define UART 0x09000000UL

#define GICD_CTLR 0x0
#define GICR_WAKER 0x14
#define GICR_IGROUPR0 0x10080
#define GICR_ISENABLER0 0x10100

#define PSCI_CPU_ON 0xc4000003UL
#define PSCI_SYSTEM_OFF 0x84000008UL

#define STORES 7
#define LINE 64

#define mrs(reg) ({ u64 v; asm volatile("mrs %0, " #reg : "=r"(v) : : "memory"); v; })
#define msr(reg, v) asm volatile("msr " #reg ", %0" : : "r"((u64)(v)) : "memory")
#define ICC_IAR1_EL1 S3_0_C12_C12_0
#define ICC_EOIR1_EL1 S3_0_C12_C12_1
#define ICC_PMR_EL1 S3_0_C4_C6_0
#define ICC_SGI1R_EL1 S3_0_C12_C11_5
#define ICC_SRE_EL1 S3_0_C12_C12_5
#define ICC_IGRPEN1_EL1 S3_0_C12_C12_7
#define READ(reg) mrs(reg)
#define WRITE(reg, v) msr(reg, v)

struct line {
	volatile u32 value;
	char rest[LINE - sizeof(u32)];
} __attribute__((aligned(LINE)));

static struct line data[STORES], request[CPUS], online[CPUS];
char stacks[CPUS * 4096] __attribute__((aligned(16)));

extern char secondary[];

static volatile u32 *reg(u64 addr) { return (volatile u32 *)addr; }

static void print(const char *text)
{
	while (*text)
		*reg(UART) = *text++;
}

static void number(u64 v)
{
	char digits[21], *d = digits + 20;
	for (*d = 0; v || !*d; v /= 10)
		*--d = '0' + v % 10;
	print(d);
}

static u64 psci(u64 function, u64 a, u64 b, u64 c)
{
	register u64 x0 asm("x0") = function;
	register u64 x1 asm("x1") = a;
	register u64 x2 asm("x2") = b;
	register u64 x3 asm("x3") = c;
	asm volatile("hvc #0" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3) : : "memory");
	return x0;
}

static void off(void)
{
	psci(PSCI_SYSTEM_OFF, 0, 0, 0);
	for (;;)
		;
}

void unexpected(void)
{
	print("unexpected exception\n");
	off();
}

// QEMU's virt puts 16 CPUs into a cluster if it has a GICv3.
static u64 affinity(u64 cpu) { return cpu / 16 << 8 | cpu % 16; }

// Wakes the CPU's redistributor and enables SGI 1.
static void enable_interrupts(u64 cpu)
{
	u64 gicr = GICR + cpu * GICR_STRIDE;
	*reg(gicr + GICR_WAKER) &= ~2u; // ProcessorSleep
	while (*reg(gicr + GICR_WAKER) & 4) // ChildrenAsleep
		;
	*reg(gicr + GICR_IGROUPR0) = ~0u;
	*reg(gicr + GICR_ISENABLER0) = 1 << 1;
	WRITE(ICC_SRE_EL1, 1);
	asm volatile("isb");
	WRITE(ICC_PMR_EL1, 0xf0);
	WRITE(ICC_IGRPEN1_EL1, 1);
	asm volatile("isb");
}

void interrupt(void)
{
	u64 cpu = (mrs(mpidr_el1) >> 8 & 0xff) * 16 + (mrs(mpidr_el1) & 0xff);
	u64 intid = READ(ICC_IAR1_EL1);
	asm volatile("dsb sy" : : : "memory");
	WRITE(ICC_EOIR1_EL1, intid);
	asm volatile("isb");
	__atomic_store_n(&request[cpu].value, 0, __ATOMIC_RELEASE);
}

void target(u64 cpu)
{
	enable_interrupts(cpu);
	__atomic_store_n(&online[cpu].value, 1, __ATOMIC_RELEASE);
	asm volatile("msr daifclr, #2");
	for (;;)
		asm volatile("wfi");
}

static void call(u64 cpu)
{
	for (int i = 0; i < STORES; i++)
		data[i].value = cpu;
	request[cpu].value = 1;
	asm volatile("dsb ishst" : : : "memory");
	WRITE(ICC_SGI1R_EL1, cpu / 16 << 16 | 1 << 24 | 1UL << cpu % 16);
	asm volatile("isb");
	while (__atomic_load_n(&request[cpu].value, __ATOMIC_ACQUIRE))
		asm volatile("yield");
}

void caller(void)
{
	*reg(GICD + GICD_CTLR) = 1 << 4 | 1 << 1; // ARE, EnableGrp1
	enable_interrupts(0);
	for (u64 cpu = 1; cpu < CPUS; cpu++) {
		if (psci(PSCI_CPU_ON, affinity(cpu), (u64)secondary, cpu)) {
			print("CPU_ON failed\n");
			off();
		}
		while (!__atomic_load_n(&online[cpu].value, __ATOMIC_ACQUIRE))
			asm volatile("yield");
	}
	u64 calls = 0, begin = mrs(cntvct_el0);
	for (int round = 0; round < ROUNDS; round++)
		for (u64 cpu = 1; cpu < CPUS; cpu++, calls++)
			call(cpu);
	u64 ticks = mrs(cntvct_el0) - begin;
	number(calls);
	print(" calls, ");
	number(ticks * 1000 / (mrs(cntfrq_el0) / 1000000) / calls);
	print(" ns/call\n");
	off();
}
