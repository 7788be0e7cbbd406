/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers of a processor with PerfMonV2, for an emulator that has none: in
 * registers.c's place they make the module that events-software.sh loads.
 *
 * A counter counts the processor's ticks, or a part of them, whatever runs.
 * Which tick it overflows at is known when it is set, and the timers of other
 * pCPUs look whether it is over: they send the NMI, so that it may come between
 * any two instructions, as a real one does.  An overflow that its own pCPU sees
 * first makes one at once.
 */
#include "hypervisor/port-payload/payload.h"

#define PCPUS    4u
#define COUNTERS 6u
#define WIDTH    48u
#define TOP      (1ul << WIDTH)
#define ALL      ((1ul << COUNTERS) - 1)
#define NEVER    (~0ul >> 1)
#define SENDING  (1ul << 63) /* in due */

#define MSR_SELECT  0xc0010200u
#define MSR_COUNTER 0xc0010201u
#define MSR_END     (MSR_SELECT + 2 * COUNTERS)
#define MSR_STATUS  0xc0000300u
#define MSR_CONTROL 0xc0000301u
#define MSR_CLEAR   0xc0000302u

#define ENABLE    (1ul << 22)
#define INTERRUPT (1ul << 20)

#define ENTRY_MASKED 0x10000u

#define LOOK_NS 1000000ul

/* Of so many reads of the status one is held up for so long, as by an SMI. */
#define HELD_UP    16u
#define HELD_UP_NS 5000000ul
/* To let counters count takes so long, in which they do, as on a slow host
 * below: longer than the first period of a session that adapts them. */
#define SLOW_NS 400000ul

struct counter {
    uint64_t select;
    uint64_t value; /* at tick since */
    uint64_t since;
    uint64_t overflow; /* the tick; NEVER where it does not count */
};

struct registers {
    struct counter counter[COUNTERS];
    uint64_t status;
    uint64_t control;
    uint64_t overflows;
};

/* Accesses in an NMI come between any two instructions of one in a softirq or
 * a call.  So each works on a copy, which becomes the registers if they are
 * still those that it was made of; those that are inside each other have
 * copies of their own. */
#define DEPTHS 3u

static struct processor {
    struct registers copy[2 * DEPTHS];
    uint64_t version; /* times 8; which copy */
    /* The tick of the next overflow that makes an NMI; NEVER while the pCPU
     * itself works on it.  Who sends the NMI says so first: then the pCPU
     * waits, since no overflow can be seen long before its NMI comes. */
    uint64_t due;
    uint64_t sent; /* the last of which another pCPU has sent the NMI */
    bool on;
    uint32_t depth;
    uint32_t entry;
    uint32_t reads; /* of the status */
    uint64_t interrupts;
    struct xen_timer timer;
} processors[PCPUS];

static unsigned long mask[PORT_PCPUS_MAX / 64];
static uint32_t sends; /* one pCPU: so none that is waited for waits itself */
static bool opened;

/* Has registers as they are when it is switched on. */
static struct processor *processor_of(unsigned int pcpu)
{
    struct processor *processor = &processors[pcpu % PCPUS];

    if ( processor->on )
        return processor;
    processor->copy[0].control = ALL;
    for ( unsigned int i = 0; i < COUNTERS; i++ )
        processor->copy[0].counter[i].overflow = NEVER;
    processor->due = NEVER;
    processor->entry = ENTRY_MASKED;
    processor->on = true;
    return processor;
}

static struct processor *here(void)
{
    return processor_of(port_pcpu());
}

static const struct registers *registers_of(const struct processor *processor,
                                            uint64_t version)
{
    return &processor->copy[version % 8];
}

static uint64_t version_of(const struct processor *processor)
{
    return __atomic_load_n(&processor->version, __ATOMIC_SEQ_CST);
}

/* Counting ----------------------------------------------------------------- */

/* An event happens at each tick, or at one of so many. */
static unsigned int shift_of(const struct counter *counter)
{
    switch ( counter->select & 0xff )
    {
    case 0x76: return 0; /* cycles */
    case 0xc0: return 1; /* instructions */
    case 0xc2: return 2; /* branches */
    default: return 7;
    }
}

static uint64_t value_at(const struct counter *counter, uint64_t tick)
{
    uint64_t passed = counter->overflow == NEVER ? 0 : tick - counter->since;

    return (counter->value + (passed >> shift_of(counter))) & (TOP - 1);
}

/* Brings all up to date.  Returns whether there is an overflow of which no NMI
 * was sent yet. */
static bool count(struct registers *registers, uint64_t tick, uint64_t sent)
{
    bool unsent = false;

    for ( unsigned int i = 0; i < COUNTERS; i++ )
    {
        struct counter *counter = &registers->counter[i];
        bool over = counter->overflow <= tick;

        unsent |= over && counter->select & INTERRUPT &&
                  counter->overflow > sent;
        counter->value = value_at(counter, tick);
        counter->since = tick;
        registers->overflows += over;
        registers->status |= (uint64_t)over << i;
    }
    return unsent;
}

static void go_on(struct registers *registers)
{
    for ( unsigned int i = 0; i < COUNTERS; i++ )
    {
        struct counter *counter = &registers->counter[i];
        bool counts = counter->select & ENABLE && registers->control >> i & 1;

        counter->overflow = counts ? counter->since + ((TOP - counter->value)
                                                       << shift_of(counter))
                                   : NEVER;
    }
}

/* Returns the first tick after that at which there is an overflow that makes
 * an NMI. */
static uint64_t next_overflow(const struct registers *registers, uint64_t tick)
{
    uint64_t first = NEVER;

    for ( unsigned int i = 0; i < COUNTERS; i++ )
    {
        const struct counter *counter = &registers->counter[i];

        if ( counter->select & INTERRUPT && counter->overflow > tick &&
             counter->overflow < first )
            first = counter->overflow;
    }
    return first;
}

static bool takes_nmis(struct processor *processor)
{
    if ( processor->entry != XEN_NMI_DELIVERY )
        return false;
    __atomic_fetch_add(&processor->interrupts, 1, __ATOMIC_RELAXED);
    return true;
}

/* Overflows at one tick make one interrupt. */
static void send_marked(unsigned int pcpu, uint64_t due)
{
    struct processor *processor = &processors[pcpu];
    const struct registers *registers = registers_of(processor,
                                                     version_of(processor));

    if ( next_overflow(registers, due - 1) == due && takes_nmis(processor) )
    {
        mask[0] = 1ul << pcpu;
        send_IPI_mask(mask, XEN_NMI_DELIVERY);
    }
    processor->sent = due;
    __atomic_store_n(&processor->due, next_overflow(registers, due),
                     __ATOMIC_SEQ_CST);
}

/* With interrupts off: while it is marked the other pCPU may wait in an NMI,
 * and an interrupt here for a lock that is held below that. */
static void send_due(unsigned int pcpu)
{
    struct processor *processor = &processors[pcpu];
    uint64_t due = __atomic_load_n(&processor->due, __ATOMIC_SEQ_CST);

    if ( due > port_ticks() )
        return;
    interrupts_off();
    if ( __atomic_compare_exchange_n(&processor->due, &due, due | SENDING,
                                     false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST) )
        send_marked(pcpu, due);
    interrupts_on();
}

static void look(void *data)
{
    struct processor *processor = data;

    for ( unsigned int i = 0; i < PCPUS; i++ )
    {
        uint32_t nobody = 0;

        if ( i == port_pcpu() || !port_pcpu_online(i) ||
             !__atomic_compare_exchange_n(&sends, &nobody, 1, false,
                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) )
            continue;
        send_due(i);
        __atomic_store_n(&sends, 0, __ATOMIC_SEQ_CST);
    }
    /* Of its own, which an access notices. */
    port_msr_read(MSR_CONTROL);
    set_timer(&processor->timer, port_time() + LOOK_NS);
}

/* Access ------------------------------------------------------------------- */

static bool is_there(uint32_t msr)
{
    return (msr >= MSR_SELECT && msr < MSR_END) ||
           (msr >= MSR_STATUS && msr <= MSR_CLEAR);
}

static uint64_t read_one(const struct registers *registers, uint32_t msr)
{
    const struct counter *counter;

    if ( msr == MSR_STATUS )
        return registers->status;
    if ( msr == MSR_CONTROL )
        return registers->control;
    if ( msr == MSR_CLEAR )
        return 0; /* it cannot be read */
    counter = &registers->counter[(msr - MSR_SELECT) / 2];
    return msr & 1 ? counter->value : counter->select;
}

static void write_one(struct registers *registers, uint32_t msr, uint64_t value)
{
    unsigned int index = (msr - MSR_SELECT) / 2;

    if ( msr == MSR_CLEAR )
        registers->status &= ~value;
    else if ( msr == MSR_CONTROL )
        registers->control = value;
    else if ( msr & 1 )
        registers->counter[index].value = value & (TOP - 1);
    else
        registers->counter[index].select = value;
}

/* From here on this pCPU alone sends its NMIs.  An access inside another waits
 * as well: it may be in the NMI whose sender has not noted yet that it sent it,
 * and would send it again. */
static void take_due(struct processor *processor)
{
    uint64_t due;

    do
    {
        due = __atomic_load_n(&processor->due, __ATOMIC_SEQ_CST) & ~SENDING;
    } while ( !__atomic_compare_exchange_n(&processor->due, &due, NEVER, false,
                                           __ATOMIC_SEQ_CST,
                                           __ATOMIC_SEQ_CST) );
}

/* The registers as they are from now on: with a value that is written, if any.
 * Returns what msr had. */
static uint64_t change(uint32_t msr, const uint64_t *value)
{
    struct processor *processor = here();
    unsigned int at = 2 * (processor->depth++ % DEPTHS);
    uint64_t version, to, tick, before, due, never = NEVER;
    struct registers *copy;
    bool unsent;

    take_due(processor);
    do
    {
        version = version_of(processor);
        to = at + (version % 8 == at);
        copy = &processor->copy[to];
        *copy = *registers_of(processor, version);
        tick = port_ticks();
        unsent = count(copy, tick, processor->sent);
        before = read_one(copy, msr);
        if ( value )
            write_one(copy, msr, *value);
        go_on(copy);
        to += (version / 8 + 1) * 8;
    } while ( !__atomic_compare_exchange_n(&processor->version, &version, to,
                                           false, __ATOMIC_SEQ_CST,
                                           __ATOMIC_SEQ_CST) );
    if ( unsent && takes_nmis(processor) )
        self_nmi();
    due = next_overflow(registers_of(processor, version_of(processor)), tick);
    /* One that comes from here on has newer registers. */
    if ( --processor->depth == 0 )
        __atomic_compare_exchange_n(&processor->due, &never, due, false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return before;
}

static void pass(uint64_t ns)
{
    uint64_t until = port_time() + ns;

    while ( port_time() < until )
        __builtin_ia32_pause();
}

uint64_t port_msr_read(uint32_t msr)
{
    uint64_t value = is_there(msr) ? change(msr, NULL) : 0;

    if ( msr == MSR_STATUS && ++here()->reads % HELD_UP == 0 )
        pass(HELD_UP_NS);
    return value;
}

void port_msr_write(uint32_t msr, uint64_t value)
{
    if ( is_there(msr) )
        change(msr, &value);
    if ( msr == MSR_CONTROL && value )
        pass(SLOW_NS);
}

bool port_msr_try(uint32_t msr, uint64_t *ret)
{
    *ret = is_there(msr) ? change(msr, NULL) : 0;
    return is_there(msr);
}

bool port_msr_write_try(uint32_t msr, uint64_t value)
{
    port_msr_write(msr, value);
    return is_there(msr);
}

void port_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t ret[4])
{
    (void)subleaf;
    memset(ret, 0, 4 * sizeof(*ret));
    switch ( leaf )
    {
    case 0: memcpy(ret, (uint32_t[]){0xd, 0x68747541, 0, 0}, 16); break;
    case 1: ret[0] = 0xa00f00; break;
    case 0x80000000: ret[0] = 0x80000022; break;
    case 0x80000001: ret[2] = 1u << 23; break;
    case 0x80000022: ret[0] = 1, ret[1] = COUNTERS; break;
    }
}

/* The interrupt ------------------------------------------------------------ */

bool port_pmi_open(void)
{
    for ( unsigned int i = 0; !opened && i < PCPUS; i++ )
    {
        struct processor *processor = processor_of(i);

        if ( !port_pcpu_online(i) )
            continue;
        init_timer(&processor->timer, look, processor, i);
        set_timer(&processor->timer, port_time() + LOOK_NS);
    }
    opened = true;
    return true;
}

void registers_forget(void)
{
    for ( unsigned int i = 0; opened && i < PCPUS; i++ )
        if ( port_pcpu_online(i) )
            kill_timer(&processors[i].timer);
    memset(processors, 0, sizeof(processors));
    opened = false;
}

uint32_t port_pmi_entry(void)
{
    return here()->entry;
}

void port_pmi_unmask(void)
{
    here()->entry = XEN_NMI_DELIVERY;
}

/* The end of a session: the scenario compares. */
void port_pmi_put_back(uint32_t entry)
{
    const struct processor *now = here();

    here()->entry = entry;
    port_log("software: pCPU %u: %lu overflows, %lu interrupts", port_pcpu(),
             registers_of(now, version_of(now))->overflows, now->interrupts);
}

/* There is no IBS ---------------------------------------------------------- */

bool port_extra_free(unsigned int entry)
{
    (void)entry;
    return false;
}

bool port_extra_ours(unsigned int entry)
{
    (void)entry;
    return false;
}

void port_extra_unmask(unsigned int entry)
{
    (void)entry;
}

uint32_t port_extra_entry(unsigned int entry)
{
    (void)entry;
    return ENTRY_MASKED;
}

void port_extra_put_back(unsigned int entry, uint32_t value)
{
    (void)entry;
    (void)value;
}
