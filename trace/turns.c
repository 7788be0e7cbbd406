/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose turn it is. */
#include "turns.h"

bool turns_change(const struct trace_event *event, struct traced_change *ret)
{
    if ( (event->number & TRACE_RUNSTATE_MASK) != TRACE_RUNSTATE ||
         !event->words )
        return false;
    *ret = (struct traced_change){
        .who = {(uint16_t)(event->word[0] >> 16), (uint16_t)event->word[0]},
        .old = event->number >> 8 & 3,
        .new = event->number >> 4 & 3,
    };
    return true;
}

void turns_free(struct turns *turns)
{
    vector_free(turns);
    *turns = (struct turns){0};
}

struct turn *turns_of(struct turns *turns, uint16_t pcpu)
{
    while ( turns->count <= pcpu )
        if ( !vector_add(turns) )
            return NULL;
    return &turns->items[pcpu];
}

void turns_take(struct turn *turn, const struct traced_change *change)
{
    if ( change->old == RUNSTATE_RUNS )
    {
        turn->before = change->who;
        turn->before_known = true;
        turn->now_known = false;
        turn->preempts = change->new == RUNSTATE_WAITS;
    }
    if ( change->new == RUNSTATE_RUNS )
    {
        turn->now = change->who;
        turn->now_known = true;
        turn->preempts = false;
    }
}
