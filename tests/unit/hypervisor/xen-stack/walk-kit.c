/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "walk-kit.h"

struct kit_stack walk_stack;
struct port_xen_stack walk_start;
uint32_t walk_count;
bool walk_whole;

static struct kit_table table;
static struct unwind_table checked;
static uint64_t frames[WALK_ROOM];

void walk_begin(void)
{
    process_reset(1);
    if ( !table.head )
        table = kit_table_make(64);
    CHECK(unwind_check(table.head, table.head->size, 0, &checked));
    walk_stack = kit_stack_make();
    walk_start = (struct port_xen_stack){
        .ip = kit_in(KIT_SMALL),
        .sp = walk_stack.root - 512,
        .root = walk_stack.root,
    };
}

void walk(uint32_t room)
{
    memset(frames, 0, sizeof(frames));
    walk_count = xen_stack_walk(&checked, &walk_start, frames, room,
                                &walk_whole);
    CHECK(walk_count <= room);
}

void walk_expect(uint32_t wanted, const uint64_t *ips, bool wanted_whole)
{
    walk(WALK_ROOM);
    for ( uint32_t i = 0; i < wanted && i < walk_count; i++ )
        CHECK_EQ(frames[i], ips[i]);
    CHECK_EQ(walk_count, wanted);
    CHECK_EQ(walk_whole, wanted_whole);
}

uint64_t walk_frame(uint64_t sp, uint64_t size, uint64_t caller)
{
    kit_put(sp + size - 8, caller);
    return sp + size;
}

uint64_t walk_from_entry(uint64_t sp, uint64_t size)
{
    return walk_frame(sp, size, kit_after(KIT_REGS));
}

uint64_t walk_was_in(unsigned int function)
{
    return kit_in(function) + 1;
}
