/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sample at a time, from the NMI to its ring, with every NMI and softirq in
 * the hands of a test: dom0 is on pCPU 0, vCPU 1 of domain 5 on pCPU 1.
 */
#ifndef XENOPROF_TESTS_UNIT_HYPERVISOR_SAMPLE_KIT_H
#define XENOPROF_TESTS_UNIT_HYPERVISOR_SAMPLE_KIT_H

#include "core-kit.h"

#define VCPU_RING(domain, vcpu) kit_ring_of(XENOPROF_RING_VCPU, domain, vcpu)
#define PCPU_RING(pcpu)         kit_ring_of(XENOPROF_RING_PCPU, 0, pcpu)

extern struct kit_read sample_read; /* what was read of all rings */

/* Samples; no NMI comes, and no softirq runs, unless a test says so. */
void sample_begin(void);
/* Stops; all sums must hold. */
void sample_end(void);

/* One NMI for pCPU 1 is outstanding after this, and no other. */
void sample_ask(void);
/* pCPU 1. */
struct process_pcpu *sample_pcpu(void);
/* pCPU 1 is in Xen; complete: the guest's registers are on its stack. */
void sample_in_xen(bool complete);

/* The only sample that is new in this ring. */
const struct kit_sample *sample_in(const struct xenoprof_ring_page *ring);

#endif
