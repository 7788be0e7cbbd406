/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "status-kit.h"

const char status_answer[] =
    "session name=current dir=/s state=running since=1000000000 until=0 "
    "by=root%20(pid%205) options=%20frequency=97\n"
    "sampler name=nmi frequency=50 asked=97 slowed=3 raised=1 pcpus=2 "
    "stack_room=2360 cramped=3 lagged=4 caught_up=2 lowered_by=budget,reader "
    "lowered_since=2000000000 lowered_until=0 cost_first=1000000 "
    "cost_tick=1500000\n"
    "counters due=110 missed=10 idle=4 made=100 read=90 lost=10 switched=3 "
    "moved=2 cost=5000000 waiters_made=9 waiters_read=8 waiters_lost=1\n"
    "waiting state=running samples=10 bytes=2560 guests=1\n"
    "lost cause=queue count=1\n"
    "lost cause=ring count=9\n"
    "ring number=0 generation=1 kind=pcpu domain=32767 name=idle uuid=0 "
    "unit=1 state=open made=40 read=40 lost=0 size=4096\n"
    "ring number=2 generation=1 kind=vcpu domain=3 name=web%20\"1\" "
    "uuid=03000000-0000-0000-0000-000000000000 unit=0 state=open made=60 "
    "read=50 lost=10 size=4096\n"
    "chains domain=3 name=web%20\"1\" mode=kernel root=37 window=2 page=1\n"
    "something-newer a=1\n"
    "trouble text=the%20disk%20is%20full\n"
    "daemon pid=77 version=0.1.0 user_ns=3000000 system_ns=4000000 "
    "children_ns=5000000 "
    "resident=1048576 peak=2097152\n";

/* As client_ask() leaves it. */
static struct reply make_reply(const char *text)
{
    struct reply reply = {.text = strdup(text)};

    reply.end = reply.text + strlen(text);
    for ( char *at = reply.text; at < reply.end; at++ )
        if ( *at == '\n' )
            *at = '\0';
    return reply;
}

struct status status_of(const char *answer)
{
    struct status status = {.state = "running"};
    struct reply reply = make_reply(answer);

    status_from_reply(&status, &reply);
    reply_free(&reply);
    return status;
}
