/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call chain of a sample, as places of the session: Xen's frames, and
 * below them those of the guest that Xen worked for.
 */
#ifndef XENOPROF_DAEMON_SAMPLE_STACK_H
#define XENOPROF_DAEMON_SAMPLE_STACK_H

#include "daemon/guests/guests.h"
#include "places.h"

/* Who names frames. */
struct stack_sources {
    struct places *places;
    struct guests *guests; /* NULL: guests have addresses */
    bool below_xen;        /* stacks of guests' kernels were asked for */
    bool patient;          /* samples may wait for the parser */
};

/* The guest's part of the last sample of a ring that had windows, for those
 * that say that theirs are the same.  All zeroes: there was none. */
struct stack_last {
    uint64_t ip;
    uint16_t domain;
    struct guest_chain chain;
};

/*
 * Sets place and stack of what is to be stored of this sample, and says how a
 * chain ended that does not reach its root.  A chain of one frame is its place
 * alone.  The place of a caller is that of the last byte of its call: what a
 * call returns to may be another function.
 *
 * uuid is that of the sample's domain, last that of its ring.  XENOPROF_END:
 * store it again when its guest's kernel is known, or the parser that knows it
 * has time; nothing was done.
 */
enum xenoprof_status sample_stack_store(const struct stack_sources *sources,
                                        struct xenoprof_writer *writer,
                                        const struct xenoprof_view *view,
                                        const uint8_t uuid[16],
                                        struct stack_last *last,
                                        struct xenoprof_stored *stored);

#endif
