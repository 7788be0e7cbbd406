/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sums of samples of vCPUs that waited. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libxenoprof/session/session-attributes.h"
#include "waiter-account.h"

void waiters_resume(struct waiter_account *account, const char *value)
{
    uint64_t made, read;

    if ( value &&
         sscanf(value, "made %" SCNu64 ", read %" SCNu64, &made, &read) == 2 )
    {
        account->made = made;
        account->read = read;
    }
}

/* With what waits for an answer neither read nor lost yet. */
static void add_up(struct waiter_account *account,
                   const struct xenoprof_status_page *status, bool last)
{
    uint64_t read = account->read + account->pending;

    if ( status && status->waiting_made > account->made )
        account->made = status->waiting_made;
    if ( read > account->made )
        account->made = read;
    if ( status )
        account->lost = status->waiting_lost + account->dropped;
    if ( last || account->lost > account->made - read )
        account->lost = account->made - read;
}

enum xenoprof_status waiters_say(struct waiter_account *account,
                                 struct xenoprof_writer *writer, uint64_t time,
                                 const struct xenoprof_status_page *status,
                                 bool last)
{
    char text[sizeof(account->reported)];

    if ( !account->asked || !time )
        return XENOPROF_OK;
    add_up(account, status, last);
    snprintf(text, sizeof(text),
             "made %" PRIu64 ", read %" PRIu64 ", lost %" PRIu64, account->made,
             account->read + account->pending, account->lost);
    if ( strcmp(text, account->reported) == 0 )
        return XENOPROF_OK;
    strcpy(account->reported, text);
    return xenoprof_writer_attribute(writer, time, SESSION_ATTRIBUTE_WAITING,
                                     text);
}
