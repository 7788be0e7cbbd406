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

enum xenoprof_status waiters_say(struct waiter_account *account,
                                 struct xenoprof_writer *writer, uint64_t time,
                                 const struct xenoprof_status_page *status,
                                 bool last)
{
    const uint64_t read = account->read + account->pending;
    char text[sizeof(account->reported)];

    if ( !account->asked || !time )
        return XENOPROF_OK;
    if ( status && status->waiting_made > account->made )
        account->made = status->waiting_made;
    if ( read > account->made )
        account->made = read;
    /* What waits for an answer is neither read nor lost yet. */
    if ( status )
        account->lost = status->waiting_lost + account->dropped;
    if ( last || account->lost > account->made - read )
        account->lost = account->made - read;
    snprintf(text, sizeof(text),
             "made %" PRIu64 ", read %" PRIu64 ", lost %" PRIu64, account->made,
             read, account->lost);
    if ( strcmp(text, account->reported) == 0 )
        return XENOPROF_OK;
    strcpy(account->reported, text);
    return xenoprof_writer_attribute(writer, time, SESSION_ATTRIBUTE_WAITING,
                                     text);
}
