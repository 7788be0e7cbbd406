/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_GUEST_MEMORY_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_GUEST_MEMORY_H

#include "hypervisor/page-walk.h"
#include "xen.h"

#define GUEST_PIECES_KNOWN 4u

/* How the current guest's addresses become machine addresses, right now. */
struct guest_tables {
    const struct xen_domain *domain;
    bool flat;            /* no paging: an address is a guest's physical one */
    bool second;          /* physical addresses of the guest's are not the
                             machine's: p2m says which they are */
    uint64_t last_frame;  /* of the guest's, that p2m may know */
    struct page_walk own; /* the guest's tables */
    struct page_walk p2m; /* Xen's for it */

    /* While they are used: */
    uint64_t frames; /* of the machine, that may be looked at */
    uint64_t count;  /* bits of count_info that count references, */
    uint64_t state;  /* and those that say what the page is, as well */
    uint32_t owner;  /* the domain, as the frame table has it */
    uint64_t piece[GUEST_PIECES_KNOWN]; /* of the frame table, by number, that
                                           are there; ~0: none */
    uint64_t table_frame; /* of the guest's tables, the one that was read last,
                             plus 1; 0: none */
    uint64_t table;       /* its machine address */
};

/*
 * The first half of it, with nothing kept in own and p2m.  False: this build's
 * facts do not say where they are, or what they say is not what the processor
 * uses now.  Softirq; guest is what port_guest_state() has just said.
 */
bool guest_tables_now(const struct port_state *guest, struct guest_tables *ret);

#endif
