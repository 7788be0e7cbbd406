/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples on the process port, for counting instructions: `both halves` of a
 * guest's sample with registers, of a sample in Xen, of one with Xen's call
 * chain, of one with a window of guest stack, and the tick that asks for them.
 * Run by bench/sample-cost.sh under callgrind.
 *
 *   sample-cost guest|xen|stack|window SAMPLES
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hypervisor/port-process/port-process.h"
#include "hypervisor/xen-stack.h"
#include "tests/unit/stack-kit.h"

#define SETTINGS "sampler=nmi frequency=97 pages=16 queue=8 lease=0 budget=0"
#define DOM0     "domain id=0 vcpus=2 uuid=00000000000000000000000000000000"

static void command(const char *line)
{
    if ( core_command(line) )
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

/* A table as large as Xen's, and chains of so many functions all over it. */
#define FUNCTIONS 30000u
#define CHAIN     7u

static uint64_t address_of(unsigned int number)
{
    unsigned int turn = number * 977 % (FUNCTIONS / KIT_FUNCTIONS);

    return kit_in(turn * KIT_FUNCTIONS + (number % 2 ? KIT_SAVES : KIT_SMALL));
}

/* Called from entry code at sp, one by the other; where the last one is. */
static uint64_t add_chain(uint64_t sp)
{
    uint64_t caller = kit_after(KIT_REGS);

    for ( unsigned int i = 0; i < CHAIN; i++ )
    {
        kit_put(sp - 8, caller);
        sp -= i % 2 ? 40 : 24;
        caller = address_of(i);
    }
    return sp;
}

static void check_chain(const struct port_xen_stack *start)
{
    uint64_t frames[64];
    struct unwind_table table;
    bool whole;

    if ( !unwind_check(process_host()->unwind_table,
                       process_host()->unwind_size, 0, &table) ||
         xen_stack_walk(&table, start, frames, 64, &whole) != 2 * CHAIN + 2 ||
         !whole )
    {
        fprintf(stderr, "sample-cost: the chain is not as it should be\n");
        exit(1);
    }
}

/* Both pCPUs in Xen: an interrupt came while it worked for a guest. */
static void make_stacks(void)
{
    struct kit_table table = kit_table_make(FUNCTIONS);
    struct kit_stack stack = kit_stack_make();
    struct port_frame *frame = &process_pcpu(0)->frame;
    uint64_t sp = add_chain(stack.root);
    uint64_t saved = (sp & ~15ul) - KIT_SAVED_SIZE;

    kit_interrupted(saved, address_of(CHAIN - 1), sp);
    process_host()->unwind_table = table.head;
    process_host()->unwind_size = table.head->size;
    frame->at.ip = address_of(CHAIN - 1);
    frame->on_xen_stack = true;
    frame->xen = (struct port_xen_stack){
        .ip = frame->at.ip,
        .sp = add_chain(saved),
        .root = stack.root,
    };
    check_chain(&frame->xen);
    process_pcpu(1)->frame = *frame;
    memcpy(process_pcpu(1)->stacks, process_pcpu(0)->stacks,
           sizeof(process_pcpu(0)->stacks));
}

/* A stack without an end, so that windows are as large as they may be. */
static const uint8_t *memory(unsigned int pcpu, uint64_t address)
{
    static const uint8_t page[XENOPROF_PAGE_SIZE];

    (void)pcpu;
    (void)address;
    return page;
}

static unsigned int mask_of(const char *kind)
{
    if ( !strcmp(kind, "stack") )
        return 7;
    return !strcmp(kind, "window") ? 27 : 3;
}

int main(int argc, char **argv)
{
    unsigned int samples = argc > 2 ? atoi(argv[2]) : 10000;
    const char *kind = argc > 1 ? argv[1] : "guest";
    bool stack = !strcmp(kind, "stack");
    bool xen = stack || !strcmp(kind, "xen");
    char reserve[128];

    process_reset(2);
    process_set_current(0, 0, 0);
    process_set_current(1, 0, 1);
    if ( stack )
        make_stacks();
    process_host()->memory = memory;
    snprintf(reserve, sizeof(reserve), "reserve " SETTINGS " mask=%u",
             mask_of(kind));
    command(reserve);
    command(DOM0 " kind=passive");
    command("start");
    for ( unsigned int pcpu = 0; xen && pcpu < 2; pcpu++ )
        process_pcpu(pcpu)->frame.at.mode = XENOPROF_MODE_XEN;
    while ( process_pcpu(0)->nmis_claimed + process_pcpu(1)->nmis_claimed <
            samples )
    {
        process_run_until(process_now() + 10000000);
        release_all();
    }
    return 0;
}
