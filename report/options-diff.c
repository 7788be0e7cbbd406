/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options-diff.h"

#include <stdlib.h>
#include <string.h>

/* What popt fills in. */
static struct {
    int diff;
    char **normalize;
} raw;

const struct poptOption diff_option_table[] = {
    {"diff", 0, POPT_ARG_NONE, &raw.diff, 0,
     "what differs from session A to session B (default: current); with the "
     "table or --callgraph",
     "A [B]"},
    {"normalize", 0, POPT_ARG_ARGV, &raw.normalize, 0,
     "what shares are of: time (of all pCPUs, the default), or samples",
     "WHAT"},
    POPT_TABLEEND,
};

static enum exit_status take_normalize(struct diff_options *options,
                                       const char *by, struct failure *failure)
{
    if ( !strcmp(by, "samples") )
        options->normalize = NORMALIZE_SAMPLES;
    else if ( !strcmp(by, "time") )
        options->normalize = NORMALIZE_TIME;
    else
        return fail(failure, STATUS_USAGE,
                    "--normalize: \"%s\" is not known: give time or "
                    "samples",
                    by);
    return STATUS_DONE;
}

enum exit_status diff_options_take(struct diff_options *options,
                                   struct failure *failure)
{
    options->wanted = raw.diff;
    for ( size_t i = 0; raw.normalize && raw.normalize[i]; i++ )
    {
        take_normalize(options, raw.normalize[i], failure);
        free(raw.normalize[i]);
    }
    free(raw.normalize);
    return failure->status;
}
