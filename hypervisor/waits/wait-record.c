/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A round over the host's vCPUs, in pieces.
 */
#include "wait-record.h"

#define INTERVAL 1000000000ul /* ns */
#define BATCH    5u           /* records that go to a ring at once */

/* Each so manieth round says all vCPUs, for a daemon that is new. */
#define WHOLE_ROUNDS 16u

/* Records on their way to a ring; Xen's frames have at most 512 bytes. */
struct batch {
    struct session *session;
    struct ring *ring;
    uint32_t count;
    struct xenoprof_wait wait[BATCH];
};

void wait_record_start(struct session *session, uint64_t now)
{
    session->waits = (struct wait_round){.next = now};
}

static void begin_wait_round(struct wait_round *round, uint64_t now, bool whole)
{
    round->known = whole ? 0 : round->began;
    round->began = now;
    round->domain = 0;
    round->vcpu = 0;
    round->under_way = true;
}

/* Rounds keep their pace; one that took longer than that is not made up for. */
static void begin_if_due(struct wait_round *round, uint64_t now)
{
    if ( now < round->next )
        return;
    round->next += INTERVAL;
    if ( round->next < now )
        round->next = now + INTERVAL;
    begin_wait_round(round, now,
                     round->dropped || !(round->rounds++ % WHOLE_ROUNDS));
    round->dropped = false;
}

/* No tick runs while the last round does, so all rings are at hand. */
static bool tell_elsewhere(struct batch *batch,
                           const struct ring_piece records[RING_PIECES])
{
    for ( uint32_t i = 0; i < batch->session->pcpus; i++ )
    {
        struct pcpu *pcpu = session_pcpu(batch->session, i);

        if ( !pcpu || ring_tell(pcpu->ring, records) == RING_FULL )
            continue;
        batch->ring = pcpu->ring;
        return true;
    }
    return false;
}

static void write_batch(struct batch *batch)
{
    struct wait_round *round = &batch->session->waits;
    const struct ring_piece records[RING_PIECES] = {
        {batch->wait, batch->count * sizeof(*batch->wait)},
    };

    batch->count = 0;
    if ( records[0].length && ring_tell(batch->ring, records) == RING_FULL &&
         !(round->last && tell_elsewhere(batch, records)) )
        round->dropped = true;
}

/* What it does now it did when the round before came by, which said so. */
static bool is_known(const struct wait_round *round,
                     const struct xenoprof_wait *wait)
{
    return wait->since < round->known &&
           (wait->state == XENOPROF_BLOCKED || wait->state == XENOPROF_OFFLINE);
}

/* A walk is good for this softirq only: a domain may have died when the round
 * goes on, so what is kept is the number of the next vCPU. */
static void do_piece(struct session *session, struct ring *ring, uint64_t now,
                     unsigned int vcpus)
{
    struct wait_round *round = &session->waits;
    struct port_vcpus walk;
    struct batch batch; /* its records are filled in as they come */

    batch.session = session;
    batch.ring = ring;
    batch.count = 0;
    port_vcpus_from(&walk, round->domain, round->vcpu);
    for ( unsigned int i = 0; i < vcpus; i++ )
    {
        struct xenoprof_wait *wait = &batch.wait[batch.count];

        round->under_way = port_vcpus_next(&walk, wait);
        if ( !round->under_way )
            break;
        round->domain = wait->domain;
        round->vcpu = wait->vcpu + 1u;
        if ( is_known(round, wait) )
            continue;
        wait->head.kind = XENOPROF_RECORD_WAIT;
        wait->head.parts = 0;
        wait->head.length = sizeof(*wait);
        wait->time = now;
        if ( ++batch.count == BATCH )
            write_batch(&batch);
    }
    write_batch(&batch);
}

void wait_record_look(struct session *session, uint64_t now)
{
    struct wait_round *round = &session->waits;
    struct pcpu *here = session_pcpu(session, port_pcpu());

    /* Xen may have moved this tick to a pCPU that takes no part. */
    if ( !here )
        return;
    if ( !round->under_way )
        begin_if_due(round, now);
    if ( round->under_way )
        do_piece(session, here->ring, now, WAIT_RECORD_PIECE);
}

static struct ring *first_ring(const struct session *session)
{
    for ( uint32_t i = 0; i < session->pcpus; i++ )
    {
        const struct pcpu *pcpu = session_pcpu(session, i);

        if ( pcpu )
            return pcpu->ring;
    }
    return NULL;
}

bool wait_record_finish(struct session *session, uint64_t now)
{
    struct wait_round *round = &session->waits;
    struct ring *ring = first_ring(session);

    if ( !ring )
        return true;
    if ( !round->last )
        begin_wait_round(round, now, true);
    round->last = true;
    if ( round->under_way )
        do_piece(session, ring, now, WAIT_RECORD_LAST);
    return !round->under_way;
}
