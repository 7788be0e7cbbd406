/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of Xen's stack, on stacks that a test makes by hand.
 */
#ifndef XENOPROF_TESTS_UNIT_HYPERVISOR_WALK_KIT_H
#define XENOPROF_TESTS_UNIT_HYPERVISOR_WALK_KIT_H

#include "hypervisor/xen-stack/xen-stack.h"
#include "tests/unit/hypervisor/stack-kit.h"
#include "tests/harness.h"

#define WALK_ROOM 8

extern struct kit_stack walk_stack;
extern struct port_xen_stack walk_start; /* where the walk begins */
extern uint32_t walk_count;              /* frames that were found */
extern bool walk_whole;                  /* the walk came to the root */

/* A main stack with nothing but what the test puts there; the leaf is a small
 * function 512 bytes below the root. */
void walk_begin(void);
void walk(uint32_t room);
/* Walks, and checks the frames, and whether that is all. */
void walk_expect(uint32_t wanted, const uint64_t *ips, bool wanted_whole);

#define EXPECT(is_whole, ...)                                                  \
    do                                                                         \
    {                                                                          \
        const uint64_t ips[] = {__VA_ARGS__};                                  \
                                                                               \
        walk_expect(sizeof(ips) / sizeof(*ips), ips, is_whole);                \
    } while ( 0 )

/* A frame of a function whose state is rsp + size: at sp; returns the CFA. */
uint64_t walk_frame(uint64_t sp, uint64_t size, uint64_t caller);
/* Entry code called the function whose CFA this is: the registers of what was
 * interrupted must lie there, or the root. */
uint64_t walk_from_entry(uint64_t sp, uint64_t size);
/* What was interrupted, as a frame that is not the leaf. */
uint64_t walk_was_in(unsigned int function);

#endif
