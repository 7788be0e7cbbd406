/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What our own code costs a pCPU.
 */
#ifndef XENOPROF_HYPERVISOR_COST_H
#define XENOPROF_HYPERVISOR_COST_H

#include "pcpu.h"

/* This pCPU has worked for us since start (port_ticks()); counts what its
 * first halves spent, too. [soft] */
void cost_add(struct pcpu *pcpu, uint64_t start);

#endif
