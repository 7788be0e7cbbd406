/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_FACTS_CHECK_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_FACTS_CHECK_H

/*
 * Hold the facts against the running hypervisor once more, reading only
 * addresses that are proved to be mapped.  NULL if all is well, else the name
 * of the first fact that is off.  Called with every pCPU standing still, in
 * the idle vCPU.
 */
const char *facts_check(void);

#endif
