/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a report goes: standard output, or a file that is there whole or, if
 * something fails, as it was before.
 */
#ifndef XENOPROF_REPORT_OUTPUT_H
#define XENOPROF_REPORT_OUTPUT_H

#include "base/failure.h"

#include <stdbool.h>
#include <stdio.h>

struct output {
    FILE *file;
    FILE *below;      /* what that writes to, if it compresses; or NULL */
    const char *path; /* NULL: standard output */
    char *fresh;      /* what becomes path at the end; NULL: path itself */
};

/* path NULL or "-": standard output.  path stays the caller's.  gzip: what is
 * written to file is compressed, as gzip does. */
enum exit_status output_open(struct output *output, const char *path, bool gzip,
                             struct failure *failure);

/* Ends what output_open() began.  If failure has one already, the file is
 * left as it was.  Returns the failure's status. */
enum exit_status output_close(struct output *output, struct failure *failure);
/* For a program that ends at once: what is begun is as if output_close() had
 * a failure.  Takes no memory. */
void output_give_up(void);

#endif
