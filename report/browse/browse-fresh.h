/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A long session is read while its beginning is shown, and one that grows is
 * read again: at most a tenth of the time.  Keys are taken meanwhile.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_FRESH_H
#define XENOPROF_REPORT_BROWSE_BROWSE_FRESH_H

#include "browse-state.h"

/* Returns how many ms to wait for a key before browse_fresh_turn(); -1: for
 * ever. */
int browse_fresh_wait(const struct browse *browse);
/* Reads what there is to read, and shows that. */
void browse_fresh_turn(struct browse *browse);

#endif
