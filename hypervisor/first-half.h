/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first half of a sample: what only the interrupt can see goes into the
 * pCPU's queue.  core_nmi_taken() is in the same file.
 */
#ifndef XENOPROF_HYPERVISOR_FIRST_HALF_H
#define XENOPROF_HYPERVISOR_FIRST_HALF_H

#include "session.h"

/*
 * The sampler without NMIs: a sample of what this tick interrupted, in the
 * place of an NMI's.  At most one of the two ever runs in a session.  [soft]
 */
void first_half_ticked(struct session *session, struct pcpu *pcpu);

#endif
