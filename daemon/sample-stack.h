/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call chain of a sample, as places of the session: Xen's frames, and
 * below them those of the guest that Xen worked for.
 */
#ifndef XENOPROF_DAEMON_SAMPLE_STACK_H
#define XENOPROF_DAEMON_SAMPLE_STACK_H

#include "daemon/guests/guests.h"
#include "places.h"

/* What names frames. */
struct stack_sources {
    struct places *places;
    struct guests *guests; /* NULL: guests have addresses */
    bool below_xen;        /* stacks of guests' kernels were asked for */
    bool patient;          /* samples may wait for a guest's kernel */
    bool may_wait;         /* ... and for a guest's walker */
    bool last;             /* ... but only if it was not asked yet */
    uint64_t tag;          /* of this sample, see struct guest_sample */
};

/* The guest's part of the last sample of a ring that had windows, for samples
 * marked as having the same stack.  All zeroes: there was none. */
struct stack_last {
    uint64_t ip;
    uint16_t domain;
    struct guest_chain chain;
};

/* Asks for the guest's part of this sample's stack, if it will need it.  urgent
 * as in guests_ask().  Returns false if that guest can be asked no more in this
 * round. */
bool sample_stack_ask(const struct stack_sources *sources,
                      const struct xenoprof_view *view, const uint8_t uuid[16],
                      bool urgent);

/*
 * Sets place, stack and end of the chain in *stored.  A chain of one frame is
 * its place alone.  The place of a caller is that of the last byte of its call,
 * since the return address may lie in another function.
 *
 * uuid is that of the sample's domain, last that of its ring.  XENOPROF_END:
 * store it again when its guest's kernel is known, or its walker has answered;
 * XENOPROF_NOT_FOUND: the same, and ask again first.  Nothing was done then.
 */
enum xenoprof_status sample_stack_store(const struct stack_sources *sources,
                                        struct xenoprof_writer *writer,
                                        const struct xenoprof_view *view,
                                        const uint8_t uuid[16],
                                        struct stack_last *last,
                                        struct xenoprof_stored *stored);

#endif
