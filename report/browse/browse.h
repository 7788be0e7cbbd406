/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --browse: a terminal to explore a session in.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_H
#define XENOPROF_REPORT_BROWSE_BROWSE_H

#include "browse-place.h"

/* Shows the session until the user has seen enough.  STATUS_USAGE if nothing is
 * known of the terminal's kind. */
enum exit_status browse_run(const struct browse_wanted *wanted,
                            struct failure *failure);

#endif
