/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains on their way into a session.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/session-folders.h"
#include "recording-kit.h"
#include "tests/unit/hypervisor/stack-kit.h"

#define CALLER (KIT_TEXT + 0x100) /* do_rest; the call is do_work's last */

static struct recording_kit kit;
static struct kit_table table;

/* pCPU 0 is in do_work, which do_work has called with its last bytes. */
static void begin(uint64_t caller)
{
    struct port_frame *frame;
    struct kit_stack stack;

    kit_begin(&kit);
    stack = kit_stack_make();
    table = kit_table_make(64);
    table.states[KIT_FRAME] = table.states[KIT_REGS];
    process_host()->unwind_table = table.head;
    process_host()->unwind_size = table.head->size;
    frame = &process_pcpu(0)->frame;
    frame->complete = false; /* nothing of the guest's */
    frame->at.ip = kit_in(KIT_SMALL);
    frame->xen = (struct port_xen_stack){
        .ip = frame->at.ip,
        .sp = stack.root - 24,
        .root = stack.root,
    };
    frame->on_xen_stack = true;
    kit_put(stack.root - 8, caller);
}

struct seen_stack {
    unsigned int with, without; /* samples of Xen */
    uint32_t places[2];
    unsigned int stacks;
    unsigned int ended; /* samples of Xen, in code without a row */
};

static void see(const struct xenoprof_item *item, struct seen_stack *seen)
{
    const struct xenoprof_place *place = &item->u.place.place;

    switch ( item->kind )
    {
    case XENOPROF_ITEM_PLACE:
        if ( place->mode != XENOPROF_MODE_XEN )
            break;
        CHECK_TEXT(place->symbol, "do_work");
        CHECK_TEXT(place->image, "xen");
        if ( place->address == kit_in(KIT_SMALL) )
            seen->places[0] = item->u.place.number;
        else
        {
            CHECK_EQ(place->address, CALLER - 1);
            seen->places[1] = item->u.place.number;
        }
        break;
    case XENOPROF_ITEM_STACK:
        seen->stacks++;
        CHECK_EQ(item->u.stack.count, 2);
        CHECK_EQ(item->u.stack.places[0], seen->places[0]);
        CHECK_EQ(item->u.stack.places[1], seen->places[1]);
        break;
    case XENOPROF_ITEM_SAMPLE:
        if ( item->u.sample.mode != XENOPROF_MODE_XEN )
            CHECK_EQ(item->u.sample.stack, 0);
        else
        {
            CHECK_EQ(item->u.sample.place, seen->places[0]);
            *(item->u.sample.stack ? &seen->with : &seen->without) += 1;
            seen->ended += xenoprof_stored_ended(&item->u.sample) ==
                           XENOPROF_ENDED_XEN;
        }
        break;
    default: break;
    }
}

/* A recording of two seconds with these options, and what is in it. */
static struct seen_stack record(const char *options)
{
    struct seen_stack seen = {0};
    struct xenoprof_session *session;
    struct xenoprof_item item;
    char path[128];

    kit_run(&kit, options);
    kit_pass(&kit, 2000 * MILLISECONDS);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_check_totals(&kit);
    snprintf(path, sizeof(path), "%s/" SESSION_CURRENT, kit.dir);
    CHECK_EQ(xenoprof_session_open(kit.handle, path, &session), XENOPROF_OK);
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
        see(&item, &seen);
    xenoprof_session_close(session);
    kit_end(&kit);
    free(table.head);
    return seen;
}

TEST(stack_of_xen_is_in_the_session_once)
{
    struct seen_stack seen;

    begin(CALLER);
    seen = record(" frequency=100 stacks=xen");
    CHECK(seen.with > 150);
    CHECK_EQ(seen.without, 0);
    CHECK_EQ(seen.stacks, 1);
}

TEST(stack_of_one_frame_is_its_place)
{
    struct seen_stack seen;

    begin(0x5ec7e7);
    seen = record(" frequency=100 stacks=xen,kernel");
    CHECK_EQ(seen.with, 0);
    CHECK(seen.without > 150);
    CHECK_EQ(seen.stacks, 0);
}

TEST(no_stack_that_nobody_asked_for)
{
    struct seen_stack seen;

    begin(CALLER);
    seen = record(" frequency=100 stacks=none");
    CHECK_EQ(seen.with, 0);
    CHECK(seen.without > 150);
    CHECK_EQ(seen.places[1], 0);
}

/* It samples all the same, and says what is not there and why. */
TEST(module_without_a_table)
{
    struct seen_stack seen;

    begin(CALLER);
    process_host()->unwind_table = NULL;
    seen = record(" frequency=100 stacks=xen");
    CHECK_EQ(seen.with, 0);
    CHECK(seen.without > 150);
    CHECK_EQ(seen.ended, seen.without);
    CHECK(strstr(kit.recording.warning, "its functions have no callers"));
}

/* The names of a chain are looked up one after the other, and one may belong to
 * a new kernel module. */
TEST(names_of_a_chain_outlive_a_new_table)
{
    struct places places;
    struct xenoprof_symbol first, second;
    struct xenoprof_sample sample = {
        .time = 1, .ip = 0xffffffff81000010, .mode = XENOPROF_MODE_KERNEL};

    kit_begin(&kit);
    CHECK_EQ(places_open(&places, &kit.xen, kit.handle, "", &kit.failure), 0);
    kit.more_symbols = "ffffffffd0000000 t in_new_module [new]\n";
    CHECK(places_symbol(&places, &sample, &first));
    sample.ip = 0xffffffffd0000010;
    CHECK(places_symbol(&places, &sample, &second));
    CHECK_TEXT(second.name, "in_new_module");
    CHECK_TEXT(first.name, "kernel_start");
    sample.time = 2;
    CHECK(places_symbol(&places, &sample, &second));
    CHECK(!places.old_symbols);
    places_close(&places);
    kit_end(&kit);
}
