/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_PAYLOAD_GUEST_MEMORY_H
#define XENOPROF_PAYLOAD_GUEST_MEMORY_H

#include "../page-walk.h"
#include "xen.h"

#define GUEST_FRAMES_KNOWN 8u

/* How the current guest's addresses become machine addresses, right now; and
 * what was found with them, for the next page of the same reading. */
struct guest_tables {
    const struct xen_domain *domain;
    bool flat;            /* no paging: an address is a guest's physical one */
    bool second;          /* physical addresses of the guest's are not the
                             machine's: p2m says which they are */
    uint64_t last_frame;  /* of the guest's, that p2m may know */
    struct page_walk own; /* the guest's tables */
    struct page_walk p2m; /* Xen's for it */
    uint64_t count;       /* bits of count_info that count references */
    uint32_t owner;       /* the domain, as the frame table has it */
    uint64_t valid;       /* 2 MiB of frames in the frame table, by number */
    struct {
        uint64_t frame; /* of the guest's, plus 1; 0: none */
        uint64_t page;  /* machine address */
    } known[GUEST_FRAMES_KNOWN];
};

/*
 * False: this build's facts do not say where they are, or what they say is
 * not what the processor uses now.  Softirq, port_guest_state() was true.
 */
bool guest_tables_now(struct guest_tables *ret);

#endif
