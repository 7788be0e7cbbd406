/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who runs where on a simulated host: whoever has waited longest has the next
 * pCPU that is free, for a slice at most.
 */
#ifndef XENOPROF_TESTS_TRUTH_SIM_SCHEDULER_H
#define XENOPROF_TESTS_TRUTH_SIM_SCHEDULER_H

#include "sim-host.h"

/* Events: host->now is their time. */
void sim_wake(struct sim_host *host, uint32_t vcpu);
void sim_end(struct sim_host *host, const struct sim_event *event);
void sim_birth(struct sim_host *host, uint32_t domain);
void sim_death(struct sim_host *host, uint32_t domain);
/* All that runs has its time, up to now. */
void sim_settle(struct sim_host *host);

#endif
