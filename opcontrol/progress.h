/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a request waits for, in words: the daemon's lines `progress` and
 * `waiting` (control/protocol.h).
 */
#ifndef XENOPROF_OPCONTROL_PROGRESS_H
#define XENOPROF_OPCONTROL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "control/status-values.h"

/* "5 samples wait for names of 2 domains, at most 7 s more" */
void waiting_say(const struct status_waiting *waiting, char *text, size_t size);

/* One line that is written again and again on a terminal, else a line each ten
 * seconds. */
struct progress {
    FILE *file;
    bool terminal;
    int width;     /* of the longest line so far; 0: there is none */
    uint64_t left; /* seconds, as the last line said; 0: it did not */
};

void progress_begin(struct progress *progress, FILE *file);
/* Shows a line `progress`. */
void progress_show(struct progress *progress, const char *line);
/* What follows begins in a line of its own. */
void progress_end(struct progress *progress);

#endif
