/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Says on a terminal how far the reading of a long session is: nothing in its
 * first second, then a line that is written over.
 */
#ifndef XENOPROF_BASE_READ_PROGRESS_H
#define XENOPROF_BASE_READ_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct read_progress {
    FILE *file;              /* NULL: nobody looks */
    uint64_t begun, printed; /* ns */
    bool shown;
};

/* Standard error, if it is a terminal. */
FILE *read_progress_terminal(void);
void read_progress_begin(struct read_progress *progress, FILE *file,
                         uint64_t now);
/* Now that so many samples are read. */
void read_progress_step(struct read_progress *progress, uint64_t now,
                        uint64_t samples);
/* Removes the line, if there is one. */
void read_progress_end(struct read_progress *progress);
/* The same for a program that ends at once, from any thread. */
void read_progress_clear(void);

#endif
