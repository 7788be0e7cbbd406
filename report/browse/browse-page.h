/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws what --browse shows.  From above: what to think of the session, the
 * domains, and the tree, or a text, or a page over all of these; at the bottom
 * what is selected, or what is typed, and which keys there are, or what there
 * is to say of the last one.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_PAGE_H
#define XENOPROF_REPORT_BROWSE_BROWSE_PAGE_H

#include "browse-state.h"

/* All of it; a screen that is too small has a sentence. */
void browse_draw(struct browse *browse);

#endif
