/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A round over the host's vCPUs, in pieces.
 */
#include "wait-record.h"

#define INTERVAL 1000000000ul /* ns */

void wait_record_start(struct session *session, uint64_t now)
{
    session->waits = (struct wait_round){.next = now};
}

/* Rounds keep their pace; one that took longer than that is not made up for. */
static void begin_round(struct wait_round *round, uint64_t now)
{
    round->next += INTERVAL;
    if ( round->next < now )
        round->next = now + INTERVAL;
    round->domain = 0;
    round->vcpu = 0;
    round->under_way = true;
}

static void write_record(struct ring *ring, uint64_t now,
                         struct xenoprof_wait *wait)
{
    wait->head = (struct xenoprof_record){
        .kind = XENOPROF_RECORD_WAIT,
        .length = sizeof(*wait),
    };
    wait->time = now;
    ring_tell(ring, wait, sizeof(*wait));
}

/* A walk is good for this softirq only: a domain may have died when the round
 * goes on, so what is kept is the number of the next vCPU. */
static void do_piece(struct wait_round *round, struct ring *ring, uint64_t now)
{
    struct xenoprof_wait wait;
    struct port_vcpus walk;

    port_vcpus_from(&walk, round->domain, round->vcpu);
    for ( unsigned int i = 0; i < WAIT_RECORD_PIECE; i++ )
    {
        if ( !port_vcpus_next(&walk, &wait) )
        {
            round->under_way = false;
            return;
        }
        write_record(ring, now, &wait);
        round->domain = wait.domain;
        round->vcpu = wait.vcpu + 1u;
    }
}

void wait_record_look(struct session *session, uint64_t now)
{
    struct wait_round *round = &session->waits;
    struct pcpu *here = session_pcpu(session, port_pcpu());

    /* Xen may have moved this tick to a pCPU that takes no part. */
    if ( !here )
        return;
    if ( !round->under_way && now >= round->next )
        begin_round(round, now);
    if ( round->under_way )
        do_piece(round, here->ring, now);
}
