/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From WAIT records, which say what a vCPU did in all of its life, to what a
 * session says: what it did since its last row.
 *
 * A vCPU that is blocked or offline since its last row has no other, but for
 * one in WAIT_TIMES_REST.  Xen says why a vCPU is offline only at the moment of
 * a record; what it was offline since the record before counts as that, and if
 * it is not offline any more as what it was seen to be last.
 */
#ifndef XENOPROF_DAEMON_WAITS_WAIT_TIMES_H
#define XENOPROF_DAEMON_WAITS_WAIT_TIMES_H

#include "base/table.h"
#include "daemon/domain-names.h"

#define WAIT_TIMES_REST 60000000000ull /* ns */

struct wait_times {
    struct table vcpus;             /* struct wait_of_vcpu */
    size_t kept;                    /* after the last sweep */
    uint64_t newest;                /* time of a record */
    uint64_t dom0_ran, dom0_waited; /* ns of its vCPUs, since the first records;
                                       waited for a pCPU */
};

/* Takes no memory yet. */
void wait_times_init(struct wait_times *times);
void wait_times_free(struct wait_times *times);

/* Takes a record, in any order.  The first of a vCPU is where its times begin.
 * Returns XENOPROF_OK, XENOPROF_NO_MEMORY, or what the writer failed with. */
enum xenoprof_status wait_times_take(struct wait_times *times,
                                     struct domain_names *names,
                                     struct xenoprof_writer *writer,
                                     const struct xenoprof_wait *wait);

/* Returns which part of the processor time that dom0's kernel counted was on a
 * pCPU: that of a PV dom0 also counts to a process what its vCPU waited for
 * one.  Valid also when the times are freed. */
uint64_t wait_times_on_pcpus(const struct wait_times *times, uint64_t counted);

/* The session ends: says what rows were saved for.  Returns the same. */
enum xenoprof_status wait_times_finish(struct wait_times *times,
                                       struct domain_names *names,
                                       struct xenoprof_writer *writer);

#endif
