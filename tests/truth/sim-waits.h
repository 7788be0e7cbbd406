/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each vCPU did, about once a second: as Xen writes it down, and as
 * xenoprofd makes rows of it.  doc/waits.md has the rules.
 */
#ifndef XENOPROF_TESTS_TRUTH_SIM_WAITS_H
#define XENOPROF_TESTS_TRUTH_SIM_WAITS_H

#include "sim-host.h"

struct sim_recorder;

/* Sums of a vCPU, as of a time. */
struct sim_wait {
    uint64_t time, since;
    uint64_t times[SIM_STATES];
    uint32_t vcpu;
    enum sim_state state;
};

struct sim_waits {
    struct {
        VECTOR(struct sim_wait);
    } written;                 /* by Xen, and not read */
    struct sim_wait *reported; /* what the last row of each vCPU leads to */
    struct sim_wait *seen;     /* what was read last; its time is 0: nothing */
    uint64_t next, began;
    uint32_t rounds;
    bool dropped;
};

void sim_waits_make(struct sim_waits *waits, struct sim_host *host);
void sim_waits_free(struct sim_waits *waits);
/* Has Xen go over all vCPUs; last: no such round comes any more. */
void sim_waits_round(struct sim_waits *waits, struct sim_host *host, bool last);
/* Reads what Xen wrote.  last: also what no row would have said otherwise. */
void sim_waits_read(struct sim_recorder *recorder, bool last);

#endif
