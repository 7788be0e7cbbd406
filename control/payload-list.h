/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The livepatch payloads that Xen has: xenopctl looks for payloads above ours,
 * xenoprofd writes the names of all others into the session.
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

/* Lists all payloads in the order of their upload; the caller frees *ret.
 * Returns 0 or a negative errno. */
int payload_list(xc_interface *xc, struct payload_entry **ret, size_t *count);

/*
 * Writes the applied payloads other than ours, as NAME=below or NAME=above
 * with blanks between them, or "none".  Characters other than letters, digits
 * and "-_.+:@" become '?'.  What does not fit is left out.
 */
void payload_list_others(const struct payload_entry *list, size_t count,
                         const char *ours, char *text, size_t size);

#endif
