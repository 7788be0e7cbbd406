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
    struct guests *guests;   /* NULL: guests have addresses */
    bool below_xen;          /* stacks of guests' kernels were asked for */
    uint64_t tag;            /* of this sample, and */
    enum xenoprof_ended cut; /* ... see struct guest_sample */
};

/* The guest's part of the last sample of a ring that had windows, for samples
 * marked as having the same stack.  All zeroes: there was none. */
struct stack_last {
    uint64_t ip;
    uint16_t domain;
    struct guest_chain chain;
};

/* Looks for the kernel of this sample's guest if it is time to; now is Xen's
 * time. */
enum xenoprof_status sample_stack_look(const struct stack_sources *sources,
                                       struct xenoprof_writer *writer,
                                       const struct xenoprof_view *view,
                                       const uint8_t uuid[16], uint64_t now);

/* Returns what the guest's part of this sample's stack waits for. */
enum guest_wait sample_stack_wait(const struct stack_sources *sources,
                                  const struct xenoprof_view *view,
                                  const uint8_t uuid[16]);

/* Asks for the guest's part of this sample's stack, if it will need it.
 * Returns false if that guest can be asked no more in this round. */
bool sample_stack_ask(const struct stack_sources *sources,
                      const struct xenoprof_view *view, const uint8_t uuid[16]);
/* Returns true if it could be asked now. */
bool sample_stack_can_ask(const struct stack_sources *sources,
                          const struct xenoprof_view *view,
                          const uint8_t uuid[16]);
/* Returns true if its guest's walker works on a batch. */
bool sample_stack_walks(const struct stack_sources *sources,
                        const struct xenoprof_view *view,
                        const uint8_t uuid[16]);

/*
 * Stores a sample with its chain; sets in *stored its place, where the chain
 * ended, and stack: how many frames it has, or 0 if it has no callers.  The
 * place of a caller is that of the last byte of its call, since the return
 * address may lie in another function.
 *
 * uuid is that of the sample's domain, last that of its ring.  What was not
 * answered yet is not waited for.
 */
enum xenoprof_status sample_stack_store(const struct stack_sources *sources,
                                        struct xenoprof_writer *writer,
                                        const struct xenoprof_view *view,
                                        const uint8_t uuid[16],
                                        struct stack_last *last,
                                        struct xenoprof_stored *stored);

#endif
