/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's call chain in a sample: walked in the NMI, kept in the queue, a part
 * of the record.
 */
#ifndef XENOPROF_HYPERVISOR_XEN_CHAIN_H
#define XENOPROF_HYPERVISOR_XEN_CHAIN_H

#include "sample-record.h"

/* Frames of one chain: twice as many as were ever seen. */
#define XEN_CHAIN_FRAMES 32u

/*
 * Check the unwind table of this hypervisor.  Only while there is no session:
 * NMIs use it.  False: there is none, or it is damaged.  [command]
 */
bool xen_chain_prepare(void);

/* Where our own text is, and its bytes, by the table that was prepared last;
 * 0 and 0: it has none of it. [command] */
uint64_t xen_chain_own_text(uint64_t *size);

/* How many frames an entry of the queue needs for the parts in mask. */
uint32_t xen_chain_room(uint32_t mask);

/* Walk the stack of what was interrupted, which was Xen, into entry, which
 * has that room; xen_chain_prepare() was true. [nmi] */
void xen_chain_take(const struct port_frame *frame, struct queue_entry *entry);

/* Add it to the record. [soft] */
void xen_chain_add(const struct queue_entry *entry,
                   struct sample_record *record);

#endif
