/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_PAYLOAD_GUEST_MEMORY_H
#define XENOPROF_PAYLOAD_GUEST_MEMORY_H

#include "../page-walk.h"
#include "xen.h"

/* How the current guest's addresses become machine addresses, right now. */
struct guest_tables {
    const struct xen_domain *domain;
    bool flat;            /* no paging: an address is a guest's physical one */
    bool second;          /* physical addresses of the guest's are not the
                             machine's: p2m says which they are */
    uint64_t last_frame;  /* of the guest's, that p2m may know */
    struct page_walk own; /* the guest's tables */
    struct page_walk p2m; /* Xen's for it */
};

/*
 * False: this build's facts do not say where they are, or what they say is
 * not what the processor uses now.  Softirq, port_guest_state() was true.
 */
bool guest_tables_now(struct guest_tables *ret);

#endif
