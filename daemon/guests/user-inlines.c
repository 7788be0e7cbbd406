/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "user-inlines.h"

#include <string.h>

#include "base/clock.h"

/* ns after which an address has no inlined functions, and how often the agent
 * may say that it takes longer: samples wait. */
#define PATIENCE  8000000000ull
#define TRIES_MAX 128u

void user_inlines_free(struct user_inlines *inlines)
{
    vector_free(inlines);
    inlines->away = 0;
}

bool user_inlines_are_full(const struct user_inlines *inlines)
{
    return inlines->count >= USER_INLINES_MAX;
}

bool user_inlines_add(struct user_inlines *inlines,
                      const struct user_inline *wanted)
{
    struct user_inline *added = vector_add(inlines);

    if ( !added )
        return false;
    *added = *wanted;
    added->since = monotonic_now();
    return true;
}

/* What is asked between two of its questions is asked of the agent by others:
 * names, mappings, rows. */
void user_inlines_ask(struct user_inlines *inlines, struct agent_link *link)
{
    struct agent_question questions[AGENT_INLINES_MAX];
    uint32_t count = 0;

    if ( inlines->away )
        return;
    if ( inlines->turn )
    {
        inlines->turn = false;
        return;
    }
    for ( ; count < inlines->count && count < AGENT_INLINES_MAX; count++ )
        questions[count] = inlines->items[count].question;
    if ( !count || !agent_link_ask_inlines(link, questions, count) )
        return;
    inlines->away = count;
    inlines->turn = true;
}

static void drop_first_inlines(struct user_inlines *inlines)
{
    memmove(inlines->items, inlines->items + 1,
            --inlines->count * sizeof(inlines->items[0]));
}

/* Whether the first is to be asked for again; then it is the last. */
static bool is_put_off(struct user_inlines *inlines,
                       const struct agent_inlined *inlining)
{
    struct user_inline first = inlines->items[0];

    if ( !inlining->later || ++first.tries > TRIES_MAX ||
         monotonic_now() - first.since > PATIENCE )
        return false;
    drop_first_inlines(inlines);
    inlines->items[inlines->count++] = first;
    return true;
}

static void take_first(struct user_inlines *inlines, struct user_inlined *ret)
{
    *ret = (struct user_inlined){.of = inlines->items[0],
                                 .lines = {{.path = ""}}};
    drop_first_inlines(inlines);
}

static void say_inlined(const struct agent_reply *reply,
                        const struct agent_inlined *inlined,
                        struct user_inlined *ret)
{
    ret->known = !inlined->later;
    ret->count = inlined->levels;
    for ( uint32_t i = 0; i < ret->count; i++ )
        ret->names[i] = reply->texts + inlined->names[i];
    for ( uint32_t i = 0; i <= ret->count; i++ )
        ret->lines[i] = (struct user_line){.path = reply->texts +
                                                   inlined->sources[i].path,
                                           .line = inlined->sources[i].line};
}

/* The answer is taken when all of it is. */
static bool next_reply(struct user_inlines *inlines, struct agent_link *link,
                       const struct agent_reply *reply,
                       struct user_inlined *ret)
{
    while ( inlines->away )
    {
        uint32_t index = reply->count - inlines->away--;
        struct agent_inlined inlined = {.levels = 0};

        if ( !reply->nothing )
            inlined = agent_reply_inlined(reply, index);
        if ( is_put_off(inlines, &inlined) )
            continue;
        take_first(inlines, ret);
        if ( !reply->nothing )
            say_inlined(reply, &inlined, ret);
        return true;
    }
    agent_link_take_reply(link);
    return false;
}

bool user_inlines_next(struct user_inlines *inlines, struct agent_link *link,
                       struct user_inlined *ret)
{
    const struct agent_reply *reply = agent_link_reply(link);

    if ( reply && reply->kind == AGENT_INLINES )
        return next_reply(inlines, link, reply, ret);
    if ( inlines->away || !inlines->count ||
         (agent_link_has_inlines(link) &&
          monotonic_now() - inlines->items[0].since <= PATIENCE) )
        return false;
    take_first(inlines, ret);
    return true;
}
