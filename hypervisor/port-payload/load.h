/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads that may fault.  Tables that are walked without a lock may change,
 * and what a stale entry leads to need not be mapped in Xen: memory maps have
 * holes that are smaller than what __mfn_valid() knows of.
 *
 * Never in an NMI, nor in what it may call: a page fault there opens the way
 * for the next NMI too early.
 */
#ifndef XENOPROF_PAYLOAD_LOAD_H
#define XENOPROF_PAYLOAD_LOAD_H

#include "../port.h"

/* An entry of a page table, 4 or 8 bytes, in one piece. */
bool load_entry(const void *from, unsigned int bytes, uint64_t *ret);
/* size bytes; false: some are not there, and to holds whatever was. */
bool load_bytes(void *to, const void *from, uint32_t size);

#endif
