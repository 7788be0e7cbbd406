/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_PAYLOAD_DOOR_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_PAYLOAD_DOOR_H

/* Adds /xenoprof to hypfs.  Returns 0, or a negative errno.  Every pCPU stands
 * still. */
int door_open(void);

/* Removes it, if it is there. */
void door_close(void);

#endif
