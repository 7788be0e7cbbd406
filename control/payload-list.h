/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which payloads Xen has: xenopctl looks for those that lie above ours,
 * xenoprofd writes into the session which others there are.
 */
#ifndef XENOPROF_CONTROL_PAYLOAD_LIST_H
#define XENOPROF_CONTROL_PAYLOAD_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <xenctrl.h>

#define MODULE_NAME "xenoprof" /* our payload */

struct payload_entry {
    char name[XEN_LIVEPATCH_NAME_SIZE];
    bool applied;
};

/* All payloads in the order of their upload; *ret is malloc'ed.  0 or Xen's
 * own -errno. */
int payload_list(xc_interface *xc, struct payload_entry **ret, size_t *count);

/*
 * Those that are applied, but not ours, as NAME=below or NAME=above (ours),
 * with a blank between two, or "none".  Other characters than letters, digits
 * and the usual marks of names become '?'.  What does not fit is left out.
 */
void payload_list_others(const struct payload_entry *list, size_t count,
                         const char *ours, char *text, size_t size);

#endif
