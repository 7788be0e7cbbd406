/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random tables and random stacks, by a seed that is printed; XENOPROF_SEED=N
 * runs that seed.  Pages that are not a stack cannot be read, and the table is
 * in a block of its own size.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hypervisor/xen-stack/xen-stack.h"
#include "tests/unit/hypervisor/stack-kit.h"
#include "tests/harness.h"

#define FUNCTIONS 48u
#define ROUNDS    300u
#define WALKS     500
#define ROOM      32u

static uint64_t state;
static struct kit_table table;
static struct kit_stack stack;
static struct {
    unsigned int walks, whole, full, deep;
} seen;

static uint32_t any(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 20) % below;
}

/* Usually a frame that a function might have. */
static void random_state(struct xenoprof_unwind_state *ret)
{
    *ret = (struct xenoprof_unwind_state){
        .kind = any(4) ? XENOPROF_UNWIND_RSP : any(XENOPROF_UNWIND_KINDS),
        .rbp_saved = any(4) ? XENOPROF_UNWIND_RBP_KEPT
                            : any(XENOPROF_UNWIND_RBPS),
        .cfa = any(16) ? 8 + (int)any(12) * 8 : (int)any(0x10000) & ~7,
        .rbp = -16,
    };
}

static uint64_t random_word(void)
{
    switch ( any(32) )
    {
    case 0: return any(2) ? 0 : KIT_XEN_CS;
    case 1: return (uint64_t)any(1u << 31) << 33;
    case 2: return stack.start + any(KIT_STACK_SIZE / 8) * 8;
    case 3: return stack.root - any(64) * 8;
    }
    return KIT_TEXT + any(FUNCTIONS * KIT_FUNCTION);
}

static void random_stack(void)
{
    struct port_span span;

    for ( uint64_t at = stack.start; at < stack.start + KIT_STACK_SIZE;
          at += 8 )
        if ( port_xen_stack_of(at, &span) )
            kit_put(at, random_word());
    /* Interrupts that make sense, so that walks get further. */
    for ( int i = 0; i < 32; i++ )
    {
        uint64_t at = stack.root - 8 * any(800) - KIT_SAVED_SIZE;

        kit_interrupted(at, KIT_TEXT + any(FUNCTIONS * KIT_FUNCTION),
                        at + KIT_SAVED_SIZE + any(2) * 8);
    }
}

static void walk(const struct unwind_table *checked)
{
    uint64_t frames[ROOM + 1];
    struct port_xen_stack start = {
        .ip = KIT_TEXT + any(FUNCTIONS * KIT_FUNCTION),
        .sp = any(4) ? stack.root - any(any(2) ? 800 : 40) * 8 : random_word(),
        .bp = random_word(),
        .ax = random_word(),
        .r10 = random_word(),
        .root = stack.root,
    };
    uint32_t room = 1 + any(ROOM), count;
    bool whole;

    frames[room] = 0x5afe;
    count = xen_stack_walk(checked, &start, frames, room, &whole);
    CHECK(count >= 1 && count <= room);
    CHECK_EQ(frames[room], 0x5afe);
    CHECK_EQ(frames[0], start.ip);
    for ( uint32_t i = 1; i < count; i++ )
        CHECK(unwind_find(checked, frames[i] - 1));
    seen.walks++;
    seen.whole += whole;
    seen.full += count == room;
    seen.deep += count > 4;
}

static void run(uint64_t seed)
{
    struct unwind_table checked;

    state = 0x9e3779b97f4a7c15 * (seed + 1);
    process_reset(1);
    stack = kit_stack_make();
    table = kit_table_make(FUNCTIONS);
    for ( int i = 0; i < KIT_FUNCTIONS; i++ )
        random_state(&table.states[i]);
    for ( uint32_t i = 0; i < table.head->rows; i++ )
        table.rows[i].state = any(KIT_FUNCTIONS);
    CHECK(unwind_check(table.head, table.head->size, 0, &checked));
    random_stack();
    for ( int i = 0; i < WALKS; i++ )
        walk(&checked);
    free(table.head);
}

TEST(random_tables_and_stacks)
{
    const char *only = getenv("XENOPROF_SEED");

    if ( only )
    {
        run(strtoul(only, NULL, 10));
        return;
    }
    for ( uint64_t seed = 1; seed <= ROUNDS; seed++ )
    {
        printf("# XENOPROF_SEED=%lu\n", seed);
        run(seed);
    }
    printf("# %u walks: %u whole, %u as long as there was room, %u deep\n",
           seen.walks, seen.whole, seen.full, seen.deep);
    /* The test would show little if all walks ended at once. */
    CHECK(seen.whole > seen.walks / 100);
    CHECK(seen.deep > seen.walks / 100);
    CHECK(seen.full > seen.walks / 100);
}
