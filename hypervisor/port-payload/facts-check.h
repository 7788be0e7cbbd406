/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_FACTS_CHECK_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_FACTS_CHECK_H

/*
 * Checks the facts against the running hypervisor once more, and reads only
 * addresses that are proved to be mapped.  Returns NULL if all are right, or
 * the name of the first wrong one.  Every pCPU stands still, in the idle vCPU.
 */
const char *facts_check(void);

#endif
