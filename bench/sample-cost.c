/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples on the process port, for counting instructions of both halves and of
 * the tick that asks for them.  A sample is a guest's with registers, or Xen's,
 * or has Xen's call chain, or a window of guest stack, of a kernel, of a
 * `process` or of both (`below`); `mixed` takes all sorts by turns, of any
 * length.  `run` and `rest` have vCPUs that do so, for WAIT records; `wait` has
 * some that wait, among others that sleep, and samples them.  `intel` and `amd`
 * are a guest's, by overflows of one of four counters of such a software PMU,
 * and `ibs` by tags beside two counters.
 * bench/goals.sh runs this under callgrind.
 *
 *   sample-cost KIND SAMPLES
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hypervisor/core.h"
#include "hypervisor/xen-stack/xen-stack.h"
#include "tests/host/host.h"
#include "tests/host/process-pmu.h"
#include "tests/unit/hypervisor/stack-kit.h"

#define SETTINGS "frequency=97 pages=16 queue=8 lease=0 budget=0"
#define DOM0     "domain id=0 vcpus=2 uuid=00000000000000000000000000000000"

static void command(const char *line)
{
    int error;

    do
        error = core_command(line);
    while ( error == -ERROR_AGAIN );
    if ( error )
    {
        fprintf(stderr, "sample-cost: refused: %s\n", line);
        exit(1);
    }
}

/* The reader's part: all that was written may be overwritten. */
static void release_all(void)
{
    struct xenoprof_door_state state;
    const struct xenoprof_status_page *status;
    uint64_t *index;

    core_door_state(&state);
    status = process_page(state.status_mfn);
    index = process_page(status->index_mfn[0]);
    for ( uint32_t i = 0; i < status->rings; i++ )
    {
        const uint64_t *table = process_page(status->table_mfn[0]);
        const struct xenoprof_ring_page *ring = process_page(table[i]);

        if ( ring )
            index[i + 1] = ring->producer;
    }
    index[0]++;
}

/* A table as large as Xen's, and chains whose functions are all over it. */
#define FUNCTIONS 30000u
#define CHAIN     7u

static uint64_t address_of(unsigned int number)
{
    unsigned int turn = number * 977 % (FUNCTIONS / KIT_FUNCTIONS);

    return kit_in(turn * KIT_FUNCTIONS + (number % 2 ? KIT_SAVES : KIT_SMALL));
}

/* Makes frames of functions that call each other, the first called from entry
 * code at sp.  Returns where the last one is. */
static uint64_t add_chain(uint64_t sp, unsigned int length)
{
    uint64_t caller = kit_after(KIT_REGS);

    for ( unsigned int i = 0; i < length; i++ )
    {
        kit_put(sp - 8, caller);
        sp -= i % 2 ? 40 : 24;
        caller = address_of(i);
    }
    return sp;
}

static void check_chain(const struct port_xen_stack *start, unsigned int length)
{
    uint64_t frames[64];
    struct unwind_table table;
    bool whole;

    if ( !unwind_check(process_host()->unwind_table,
                       process_host()->unwind_size, 0, &table) ||
         xen_stack_walk(&table, start, frames, 64, &whole) != 2 * length + 2 ||
         !whole )
    {
        fprintf(stderr, "sample-cost: the chain is not as it should be\n");
        exit(1);
    }
}

static void make_table(void)
{
    struct kit_table table = kit_table_make(FUNCTIONS);

    process_host()->unwind_table = table.head;
    process_host()->unwind_size = table.head->size;
}

/* Both pCPUs in Xen: an interrupt came while it worked for a guest. */
static void make_stacks(struct kit_stack stack, unsigned int length)
{
    struct port_frame *frame = &process_pcpu(0)->frame;
    uint64_t sp = add_chain(stack.root, length);
    uint64_t saved = (sp & ~15ul) - KIT_SAVED_SIZE;

    kit_interrupted(saved, address_of(length - 1), sp);
    frame->at.ip = address_of(length - 1);
    frame->at.mode = XENOPROF_MODE_XEN;
    frame->on_xen_stack = true;
    frame->xen = (struct port_xen_stack){
        .ip = frame->at.ip,
        .sp = add_chain(saved, length),
        .root = stack.root,
    };
    check_chain(&frame->xen, length);
    process_pcpu(1)->frame = *frame;
    memcpy(process_pcpu(1)->stacks, process_pcpu(0)->stacks,
           sizeof(process_pcpu(0)->stacks));
}

/* The stack has no end, so windows have their full size, except just below this
 * address. */
#define STACK_END 0xffffc90000100000ul

static const uint8_t *memory(unsigned int pcpu, uint64_t address)
{
    static const uint8_t page[XENOPROF_PAGE_SIZE];
    /* Its last words but one: a process's stack pointer. */
    static const uint64_t last[XENOPROF_PAGE_SIZE / 8] = {
        [XENOPROF_PAGE_SIZE / 8 - 2] = 0x7ffd00000800,
    };

    (void)pcpu;
    if ( address == STACK_END - XENOPROF_PAGE_SIZE )
        return (const uint8_t *)last;
    return address / XENOPROF_PAGE_SIZE == STACK_END / XENOPROF_PAGE_SIZE
               ? NULL
               : page;
}

/* The same numbers each time. */
static unsigned int any_below(unsigned int limit)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (state >> 33) % limit;
}

/* The next sample is of any sort: in a process, in a kernel with a stack of any
 * length, or in Xen, below any number of its frames. */
static void vary(struct kit_stack stack, const struct port_frame *usual)
{
    uint64_t sp = STACK_END - 8 * any_below(1024) - 8;

    process_pcpu(0)->frame = process_pcpu(1)->frame = *usual;
    if ( any_below(2) )
        make_stacks(stack, 1 + any_below(CHAIN));
    for ( unsigned int pcpu = 0; pcpu < 2; pcpu++ )
    {
        struct port_frame *frame = &process_pcpu(pcpu)->frame;

        frame->guest.sp = sp;
        if ( any_below(4) == 0 )
            frame->guest.mode = XENOPROF_MODE_USER;
        if ( frame->at.mode != XENOPROF_MODE_XEN )
            frame->at = frame->guest;
    }
}

static const struct kind {
    const char *name;
    unsigned int mask;
    bool xen;    /* is interrupted */
    bool stacks; /* has frames on its stack */
    bool varies;
    bool process; /* of an active domain, is interrupted, */
    bool below;   /* or has entered the kernel that is */
    const enum xenoprof_runstate *waits; /* of many vCPUs */
    enum process_pmu_family family;      /* that overflows; NONE: ticks kick */
} kinds[] = {
    {.name = "guest", .mask = 3},
    {.name = "xen", .mask = 35, .xen = true},
    {.name = "stack", .mask = 39, .xen = true, .stacks = true},
    {.name = "window", .mask = 27},
    {.name = "process", .mask = 27, .process = true},
    {.name = "below", .mask = 27 | 512, .below = true},
    {.name = "mixed", .mask = 63, .varies = true},
    {.name = "run",
     .mask = 3,
     .waits = &(enum xenoprof_runstate){XENOPROF_RUNNING}},
    {.name = "rest",
     .mask = 3,
     .waits = &(enum xenoprof_runstate){XENOPROF_BLOCKED}},
    {.name = "intel", .mask = 3, .family = PROCESS_PMU_INTEL_V5},
    {.name = "amd", .mask = 3, .family = PROCESS_PMU_CORE},
    {.name = "ibs", .mask = 3, .family = PROCESS_PMU_IBS},
    {.name = "wait",
     .mask = 27,
     .waits = &(enum xenoprof_runstate){XENOPROF_RUNNABLE}},
};

static const struct kind *kind_named(const char *name)
{
    for ( unsigned int i = 0; i < sizeof(kinds) / sizeof(*kinds); i++ )
        if ( !strcmp(name, kinds[i].name) )
            return &kinds[i];
    fprintf(stderr, "sample-cost: there is no kind '%s'\n", name);
    exit(2);
}

/* So many that each upkeep has a piece of a round. */
#define VCPUS 6200u

static void make_vcpus(enum xenoprof_runstate state)
{
    for ( unsigned int i = 0; i < VCPUS; i++ )
    {
        const struct xenoprof_wait wait = {
            .domain = 1 + i / 4,
            .vcpu = i % 4,
            .state = state,
            .since = 1,
        };

        process_set_wait(&wait);
    }
}

/* As of --event=cycles,instructions,cache-references,cache-misses. */
#define COUNT 100000u

static void add_events(const struct kind *kind)
{
    command("event id=0 select=30076 count=100000");
    command("event id=1 select=300c0 count=100000");
    if ( kind->family == PROCESS_PMU_IBS )
    {
        command("event id=2 select=0 count=100000 ibs=op");
        command("event id=3 select=0 count=100000 ibs=fetch");
        return;
    }
    command("event id=2 select=34f2e count=100000");
    command("event id=3 select=34141 count=100000");
}

static void overflow(const struct kind *kind)
{
    process_pmu(0)->ibs[1].address = process_pcpu(0)->frame.at.ip;
    process_count(0, kind->family == PROCESS_PMU_IBS ? PROCESS_OPS : 0xc0,
                  COUNT);
    process_settle();
    process_pass(1000000);
}

static const uint8_t *waiter_memory(uint16_t domain, uint16_t vcpu,
                                    uint64_t address)
{
    (void)domain;
    (void)vcpu;
    return memory(0, address);
}

/* Dom0's, of which every fourth waits: each tick has a sample, and some more
 * than sixteen looks are a round. */
#define WAITERS 64u

static void make_waiters(void)
{
    const struct process_waiter waiter = {
        .whole = true,
        .at = {.ip = 0xffffffff81000100,
               .sp = STACK_END + 8,
               .flags = 2,
               .mode = XENOPROF_MODE_KERNEL},
    };

    process_host()->waiter_memory = waiter_memory;
    for ( unsigned int i = 0; i < WAITERS; i++ )
    {
        const struct xenoprof_wait wait = {
            .vcpu = i,
            .state = i % 4 ? XENOPROF_BLOCKED : XENOPROF_RUNNABLE,
            .since = 1,
        };

        process_set_wait(&wait);
        process_set_waiter(0, i, &waiter);
    }
}

static bool has_waiters(const struct kind *kind)
{
    return kind->waits && *kind->waits == XENOPROF_RUNNABLE;
}

static void start(const struct kind *kind)
{
    char reserve[128];

    snprintf(reserve, sizeof(reserve),
             "reserve " SETTINGS " mask=%u sampler=%s%s", kind->mask,
             kind->family ? "pmu" : "nmi",
             has_waiters(kind) ? " waiting=1" : "");
    command(reserve);
    command(kind->process || kind->below ? DOM0 " kind=active"
                                         : DOM0 " kind=passive");
    if ( kind->below )
        command("link id=0 at=8,16 user=16");
    if ( kind->family )
        add_events(kind);
    command("start");
}

static void put_process(const struct kind *kind, struct port_frame *frame)
{
    if ( kind->process )
        frame->at.mode = frame->guest.mode = XENOPROF_MODE_USER;
    if ( kind->below )
        frame->at.sp = frame->guest.sp = STACK_END - 1000;
}

static void take(const struct kind *kind, struct kit_stack stack,
                 unsigned int samples)
{
    struct port_frame usual = process_pcpu(0)->frame;

    while ( process_pcpu(0)->nmis_claimed + process_pcpu(1)->nmis_claimed <
            samples )
    {
        if ( kind->varies )
            vary(stack, &usual);
        if ( kind->family )
            overflow(kind);
        else
            process_run_until(process_now() + 10000000);
        release_all();
    }
}

/* What makes the core look at more than any other: our own doing, or not? */
static const struct xenoprof_entry entry = {.kind = XENOPROF_ENTRY_PV,
                                            .code = 0xfc};

int main(int argc, char **argv)
{
    const struct kind *kind = kind_named(argc > 1 ? argv[1] : "guest");
    struct kit_stack stack;

    process_reset(2);
    process_pmu_reset(kind->family);
    process_set_current(0, 0, 0);
    process_set_current(1, 0, 1);
    process_pcpu(0)->frame.entry = process_pcpu(1)->frame.entry = entry;
    stack = kit_stack_make();
    make_table();
    process_host()->memory = memory;
    if ( kind->stacks )
        make_stacks(stack, CHAIN);
    if ( has_waiters(kind) )
        make_waiters();
    else if ( kind->waits )
        make_vcpus(*kind->waits);
    start(kind);
    for ( unsigned int pcpu = 0; kind->xen && pcpu < 2; pcpu++ )
        process_pcpu(pcpu)->frame.at.mode = XENOPROF_MODE_XEN;
    for ( unsigned int pcpu = 0; pcpu < 2; pcpu++ )
        put_process(kind, &process_pcpu(pcpu)->frame);
    take(kind, stack, argc > 2 ? atoi(argv[2]) : 10000);
    return 0;
}
