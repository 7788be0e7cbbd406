/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running a fetch list: reads in the current guest's kernel, each checked as a
 * window's is.
 */
#ifndef XENOPROF_HYPERVISOR_FETCH_FETCH_H
#define XENOPROF_HYPERVISOR_FETCH_FETCH_H

#include <xenoprof/fetch.h>

#include "hypervisor/port.h"

/* A domain's list, and what was found with it. */
struct fetch_list {
    struct xenoprof_fetch list;
    uint64_t known[XENOPROF_FETCH_VCPUS]; /* where the first word of a vCPU is,
                                             for port_reader_read_again() */
};

/*
 * Runs a list for a vCPU, the current one, with the rights of its kernel: at
 * most 8 reads of at most 32 bytes.  What cannot be read is missing in *ret.
 * Returns true, or false if this vCPU has no base.  guest is what
 * port_guest_state() just returned. [soft]
 */
bool fetch_run(struct fetch_list *list, uint16_t vcpu,
               const struct port_state *guest, struct xenoprof_task *ret);

#endif
