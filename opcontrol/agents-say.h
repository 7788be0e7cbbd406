/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which agents of active domains do not answer. */
#ifndef XENOPROF_OPCONTROL_AGENTS_SAY_H
#define XENOPROF_OPCONTROL_AGENTS_SAY_H

#include <stdint.h>
#include <stdio.h>

/* ns that agents have for their first answer. */
#define AGENTS_SAY_PATIENCE 2000000000ull

/* Waits, at most for so many ns, until each active domain's agent has
 * answered or was found absent, and says to file which did not; whatever the
 * daemon refuses is no failure here. */
void agents_say(FILE *file, uint64_t patience);

#endif
