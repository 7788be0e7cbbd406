/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agents-say.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "client.h"
#include "status.h"

#define PAUSE 100000000ull /* ns */

static bool is_present(const struct status_agent *agent)
{
    return !strcmp(agent->state, "present");
}

/* Called and not there yet, or not called yet. */
static bool is_undecided(const struct status_agent *agent)
{
    return !is_present(agent) && !agent->text[0];
}

static bool any_is_undecided(const struct status *status)
{
    for ( size_t i = 0; i < status->agents.count; i++ )
        if ( status->agents.items[i].domain &&
             is_undecided(&status->agents.items[i]) )
            return true;
    return false;
}

static void ask_status(struct status *status)
{
    struct failure ignored = {0};
    struct reply reply;

    if ( !client_ask("status", &reply, &ignored) )
        status_from_reply(status, &reply);
    reply_free(&reply);
}

static void say(FILE *file, const struct status_agent *agent)
{
    char text[512];

    snprintf(text, sizeof(text),
             "%s: %s; its user code has addresses, not names, until one does "
             "(opagent(8))",
             agent->name,
             agent->text[0] ? agent->text : "no agent answers yet");
    client_say(file, "note: ", text);
}

void agents_say(FILE *file, uint64_t patience)
{
    const struct timespec pause = {.tv_nsec = PAUSE};
    uint64_t end = monotonic_now() + patience;
    struct status status = {0};

    ask_status(&status);
    while ( any_is_undecided(&status) && monotonic_now() < end )
    {
        nanosleep(&pause, NULL);
        status_free(&status);
        ask_status(&status);
    }
    for ( size_t i = 0; i < status.agents.count; i++ )
        if ( status.agents.items[i].domain &&
             !is_present(&status.agents.items[i]) )
            say(file, &status.agents.items[i]);
    status_free(&status);
}
