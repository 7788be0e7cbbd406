/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --status shows, from the daemon's answer. */
#include <string.h>

#include "control/protocol.h"
#include "status.h"

void status_free(struct status *status)
{
    vector_free(&status->rings);
    vector_free(&status->events);
    vector_free(&status->agents);
    chain_counts_free(&status->chains);
    *status = (struct status){0};
}

static void take_lost(struct status *status, const char *line)
{
    char cause[32] = "";

    line_get_text(line, "cause", cause, sizeof(cause));
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        if ( strcmp(cause, xenoprof_cause_name(i)) == 0 )
            status->lost_by_cause[i] = line_get_number(line, "count");
}

static void take_values(struct status *status, const char *text)
{
#define STATUS_LINE(line)                                                      \
    if ( line_is(text, #line) )                                                \
        status_take_##line(&status->line, text);
#define STATUS_LIST(line, list)                                                \
    if ( line_is(text, #line) )                                                \
    {                                                                          \
        struct status_##line *added = vector_add(&status->list);               \
                                                                               \
        if ( added )                                                           \
            status_take_##line(added, text);                                   \
    }
#define STATUS_TEXT(...)
#define STATUS_NUMBER(...)
#define STATUS_COUNT(...)
#define STATUS_END(...)
#include "control/status-values.def"
}

/* And what its rows cannot say. */
static void take_status_line(struct status *status, const char *line)
{
    take_values(status, line);
    if ( line_is(line, "session") )
    {
        status->has_session = true;
        /* The module does not sample any more, and the daemon works on. */
        if ( strcmp(status->session.state, "stopping") == 0 )
            status->state = "stopping";
    }
    if ( line_is(line, "lost") )
        take_lost(status, line);
    if ( line_is(line, "chains") )
        chain_counts_take(&status->chains, line);
    if ( line_is(line, "warning") )
        line_get_text(line, "text", status->warning, sizeof(status->warning));
    if ( line_is(line, "trouble") )
        line_get_text(line, "text", status->trouble, sizeof(status->trouble));
}

void status_from_reply(struct status *status, const struct reply *reply)
{
    for ( const char *line = reply_next(reply, NULL); line;
          line = reply_next(reply, line) )
        take_status_line(status, line);
}
