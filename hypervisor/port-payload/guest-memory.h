/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_GUEST_MEMORY_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_GUEST_MEMORY_H

#include "hypervisor/page-walk.h"
#include "xen.h"

#define GUEST_PIECES_KNOWN 4u

/* How the current guest's addresses are translated now. */
struct guest_tables {
    const struct xen_domain *domain;
    bool flat;            /* no paging: addresses are guest-physical */
    bool second;          /* guest-physical addresses go through p2m */
    uint64_t last_frame;  /* the highest guest frame that p2m may map */
    struct page_walk own; /* the guest's tables */
    struct page_walk p2m; /* Xen's tables for the guest */

    /* During port_guest_read(): */
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

/* Returns whether the facts say where the tables of PV guests, or of HVM and
 * PVH guests, are; and which memory is theirs, too. [any] */
bool guest_tables_known(bool hvm);
bool guest_memory_known(bool hvm);

/*
 * Fills in the first half of the structure, with fresh walks.  Returns true, or
 * false if the facts do not say where the tables are, or the processor uses
 * other tables now.  guest is what port_guest_state() just returned. [soft]
 */
bool guest_tables_now(const struct port_state *guest, struct guest_tables *ret);

#endif
