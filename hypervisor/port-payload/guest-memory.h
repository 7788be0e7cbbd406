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

    /* During a reading: */
    uint64_t frames; /* of the machine, that may be looked at */
    uint64_t count;  /* bits of count_info that count references, */
    uint64_t state;  /* and those that say what the page is, as well */
    uint32_t owner;  /* the domain, as the frame table has it */
    uint64_t piece[GUEST_PIECES_KNOWN]; /* of the frame table, by number, that
                                           are there; ~0: none */
    uint64_t table_frame; /* of the guest's tables, the one that was read last,
                             plus 1; 0: none */
    uint64_t table;       /* its machine address */
    uint64_t page_of;     /* the last byte of the page that was read last; 0:
                             none */
    uint64_t page;        /* its machine address */
};

/* Returns whether the facts say where the tables of PV guests, or of HVM and
 * PVH guests, are; and which memory is theirs, too. [any] */
bool guest_tables_known(bool hvm);
bool guest_memory_known(bool hvm);

/*
 * Fills in the first half of the structure, with fresh walks, for a vCPU that
 * is current or waits.  Returns true, or false if the facts do not say where
 * the tables are, or the processor uses other tables; and on Intel's for an HVM
 * guest that is not current.  guest is where that vCPU is. [soft]
 */
bool guest_tables_of(const struct xen_vcpu *vcpu,
                     const struct port_state *guest, struct guest_tables *ret);

/* As port_reader_open(), for such a vCPU. */
bool guest_reader_open(const struct xen_vcpu *vcpu,
                       const struct port_state *guest, enum port_rights rights,
                       struct port_reader *ret);

#endif
