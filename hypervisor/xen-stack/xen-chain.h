/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's call chain in a sample: walked in the NMI, kept in the queue, copied
 * into the record.
 */
#ifndef XENOPROF_HYPERVISOR_XEN_CHAIN_H
#define XENOPROF_HYPERVISOR_XEN_CHAIN_H

#include "hypervisor/sample-record.h"

/* Most frames of a chain: twice the longest that was ever seen. */
#define XEN_CHAIN_FRAMES 32u

/* Returns whether there is an unwind table.  There is none if too little of
 * this hypervisor's code could be followed. [command] */
bool xen_chain_possible(void);

/*
 * Checks the unwind table of this hypervisor.  Without one chains have their
 * leaf alone, and are marked as truncated.  Returns false if the table is
 * damaged.  Only while there is no session: NMIs use it.  [command]
 */
bool xen_chain_prepare(void);

/* Returns the address of our own text, and its size, as the table that was
 * prepared last has it; 0 and 0 if the table does not cover it. [command] */
uint64_t xen_chain_own_text(uint64_t *size);

/* Returns how many frames an entry of the queue needs for the parts in mask. */
uint32_t xen_chain_room(uint32_t mask);

/* Walks the stack of Xen's code that was interrupted, into entry, which has
 * that room.  xen_chain_prepare() was true. [nmi] */
void xen_chain_take(const struct port_frame *frame, struct queue_entry *entry);

/* Adds the chain, of one frame at least, to the record. [soft] */
void xen_chain_add(const struct queue_entry *entry,
                   struct sample_record *record);

#endif
