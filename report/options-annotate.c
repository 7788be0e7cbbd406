/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options-annotate.h"

#include <stdlib.h>
#include <string.h>

/* What popt fills in. */
static struct {
    char **code;
} raw;

const struct poptOption annotate_option_table[] = {
    {"code", 0, POPT_ARG_ARGV, &raw.code, 0,
     "code of xen, an image or a domain's kernel", "WHAT:FILE"},
    POPT_TABLEEND,
};

enum exit_status annotate_options_take(struct annotate_options *options,
                                       struct failure *failure)
{
    options->code = raw.code;
    for ( size_t i = 0; raw.code && raw.code[i]; i++ )
    {
        const char *colon = strchr(raw.code[i], ':');

        if ( !colon || colon == raw.code[i] || !colon[1] )
            return fail(failure, STATUS_USAGE,
                        "--code: \"%s\" is not WHAT:FILE: give xen, an "
                        "image or a domain, a colon, and a file",
                        raw.code[i]);
    }
    return STATUS_DONE;
}

void annotate_options_free(void)
{
    for ( size_t i = 0; raw.code && raw.code[i]; i++ )
        free(raw.code[i]);
    free(raw.code);
}
