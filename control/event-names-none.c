/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A build without libpfm. */
#include "event-names.h"
#include "event-spec.h"

int event_names_find(const struct event_spec *event, uint64_t *ret,
                     struct failure *failure)
{
    (void)ret;
    return fail(failure, STATUS_USAGE,
                "--event: there is no event '%s'; xenopctl --list-events shows "
                "those that there are%s",
                event->base, event_names_hint());
}

size_t event_names_list(const char *filter, FILE *out)
{
    (void)filter, (void)out;
    return 0;
}

const char *event_names_hint(void)
{
    return "; others have names where xenoprof is built with libpfm";
}
