/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes Xen follow the links between a kernel's stacks, and to that of the
 * process which entered it (guest/links.h). */
#ifndef XENOPROF_DAEMON_GUESTS_STACK_LINKS_H
#define XENOPROF_DAEMON_GUESTS_STACK_LINKS_H

#include <stdbool.h>

#include "control/door-client.h"

/* For a domain that the module profiles, whose kernel is a Linux of that
 * version, built for FRED or not; nothing happens if such kernels have no
 * links. */
void stack_links_set(const struct door_client *door, uint16_t domain,
                     unsigned int major, unsigned int minor, bool fred);
/* For one whose kernel is not known yet, as if it were new: its first samples
 * wait until it is, and should have all of their stacks then.  Where it has no
 * such links, a window too many is read. */
void stack_links_guess(const struct door_client *door, uint16_t domain);

#endif
