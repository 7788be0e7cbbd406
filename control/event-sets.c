/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <xenoprof/door.h>

#include "event-codes.h"
#include "event-sets.h"
#include "event-spec.h"

static int check_event_option(const char *option,
                              const struct event_spec *event,
                              struct failure *failure)
{
    const struct processor processor = processor_here();
    struct event_code code;
    int status;

    /* Whether the processor has those of the same name is the module's to say,
     * which may have a better reason. */
    if ( !event_is_known(event->base) )
    {
        status = event_code_find(&processor, event, &code, failure);
        if ( status )
            return status;
    }
    if ( event->count > XENOPROF_EVENT_COUNT_MAX )
        return fail(failure, STATUS_RANGE, "--%s=%s: a count is at most %u",
                    option, event->name, XENOPROF_EVENT_COUNT_MAX);
    if ( event->guest && event->host )
        return fail(failure, STATUS_USAGE,
                    "--%s=%s: guest and host exclude each other; leave both "
                    "out to count everywhere",
                    option, event->name);
    return 0;
}

int event_sets_add(struct domain_pairs *sets, const char *option,
                   const char *text, struct failure *failure)
{
    const char *at = text;
    int status = 0;

    if ( sets->count == XENOPROF_EVENT_SETS )
        return fail(failure, STATUS_RANGE,
                    "--%s can be given at most %u times; a list with commas is "
                    "counted at the same time",
                    option, XENOPROF_EVENT_SETS);
    do
    {
        struct event_spec event;

        if ( !event_spec_read(&at, &event) )
            return fail(failure, STATUS_USAGE,
                        "--%s=%s: use NAME:COUNT, with unit masks, k, u, guest "
                        "or host before COUNT, and commas between events; a "
                        "name and what is before COUNT has at most %u letters",
                        option, text, EVENT_NAME_MAX - 1);
        status = check_event_option(option, &event, failure);
    } while ( !status && *at++ == ',' );
    return status ?: domain_pairs_add(sets, option, text, failure);
}
