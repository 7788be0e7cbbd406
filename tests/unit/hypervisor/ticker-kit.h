/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host whose pCPUs are busy or idle as a test says, and what the tick then
 * does.
 */
#ifndef XENOPROF_TESTS_UNIT_HYPERVISOR_TICKER_KIT_H
#define XENOPROF_TESTS_UNIT_HYPERVISOR_TICKER_KIT_H

#include "core-kit.h"

extern struct kit_read ticker_read; /* what was read of all rings */

/* Reserves a session with domain 5 at 100 Hz, which a test starts.  At the end
 * all must be given back, and no NMI passed on. */
void ticker_begin(unsigned int pcpus, const char *sampler);
void ticker_end(void);

/* This pCPU works for domain 5 from now on. */
void ticker_busy(unsigned int pcpu);
/* The reader keeps up, so that no ring is ever full. */
void ticker_run(unsigned int seconds);
/* How many pCPUs have a timer. */
unsigned int ticker_armed(void);
/* Returns how many NMIs were sent to this pCPU. */
uint64_t ticker_sent(unsigned int pcpu);
/* Fails if they differ by more than by. */
void ticker_near(uint64_t got, uint64_t wanted, uint64_t by);

#endif
