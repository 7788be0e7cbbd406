/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of its stack an NMI finds free: run on stacks as Xen has them.  With
 * FRED, and on AMD while an HVM vCPU is current, that is the main stack at any
 * depth, on processors of either make.
 */
#include <ucontext.h>

#include <xenoprof/unwind.h>

#include "hypervisor/port-payload/xen.h"
#include "tests/harness.h"

const struct xenoprof_facts facts;
const struct xenoprof_unwind unwind_table;
const char module_text_start[1];

/* The code under test; it finds the end of its stacks by itself. */
#include "hypervisor/port-payload/stack.c"

static uint8_t stacks[XEN_STACK_SIZE] __attribute__((aligned(32768)));
static ucontext_t test, nmi;
static uint64_t room, at;

static void look(void)
{
    room = port_stack_room();
    at = (uintptr_t)__builtin_frame_address(0);
}

/* Returns the room that an NMI finds, with so many bytes of a page's, or the
 * main stack's, below the given end. */
static uint64_t room_below(uint64_t end, uint64_t bytes)
{
    getcontext(&nmi);
    nmi.uc_stack.ss_sp = stacks + end - bytes;
    nmi.uc_stack.ss_size = bytes;
    nmi.uc_link = &test;
    makecontext(&nmi, look, 0);
    swapcontext(&test, &nmi);
    return room;
}

static void check_room(uint64_t low)
{
    uint64_t really = at - ((uintptr_t)stacks + low);

    CHECK(room <= really && room + 512 > really);
}

TEST(room_on_the_main_stack)
{
    const uint64_t main = XEN_STACK_SIZE - XEN_MAIN_STACK_SIZE;

    CHECK(room_below(XEN_STACK_SIZE, XEN_MAIN_STACK_SIZE) > 7 * 1024);
    check_room(main);
    /* What Xen has there already is above. */
    CHECK(room_below(XEN_STACK_SIZE - 4096, 4096) > 3 * 1024);
    check_room(main);
    CHECK(room < 4096);
    CHECK(room_below(XEN_STACK_SIZE - 7168, 1024) < 1024);
    check_room(main);
}

TEST(room_on_the_stack_of_an_exception)
{
    CHECK(room_below(3 * 4096, 4096) > 3 * 1024);
    check_room(2 * 4096);
    CHECK(room < 4096);
    CHECK(room_below(2 * 4096 + 1024, 1024) < 1024);
    check_room(2 * 4096);
}

TEST(room_where_there_is_no_stack)
{
    CHECK_EQ(room_below(4096, 4096), 0);
    CHECK_EQ(room_below(6 * 4096, 4096), 0);
}
