/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-rings.h"

#include <stdlib.h>

#define IDLE_TURNS  8u  /* looks at an idle pCPU, of which one asks */
#define QUEUE_FULL  1u  /* of 1000 samples */
#define SWITCHED    5u  /* of 1000: the vCPU had left */
#define LATE_ANSWER 20u /* of 1000 samples, where some are late */

void sim_rings_make(struct sim_rings *rings, const struct sim_host *host)
{
    *rings = (struct sim_rings){.count = host->vcpu_count +
                                         host->scenario->pcpus};
    rings->rings = sim_memory(rings->count, sizeof(*rings->rings));
    for ( uint32_t i = 0; i < rings->count; i++ )
    {
        struct sim_ring *ring = &rings->rings[i];
        bool vcpu = i < host->vcpu_count;

        ring->domain = vcpu ? host->vcpus[i].domain : SIM_NOBODY;
        ring->number = vcpu ? host->vcpus[i].number
                            : (uint16_t)(i - host->vcpu_count);
    }
}

void sim_rings_free(struct sim_rings *rings)
{
    for ( uint32_t i = 0; i < rings->count; i++ )
        vector_free(&rings->rings[i].samples);
    free(rings->rings);
}

static void lose(struct sim_rings *rings, struct sim_ring *ring,
                 enum xenoprof_cause cause)
{
    ring->lost[cause]++;
    rings->counters.lost[cause]++;
}

static void put(struct sim_host *host, struct sim_rings *rings,
                struct sim_sample *sample)
{
    struct sim_ring *ring = &rings->rings[sample->ring];
    struct sim_sample *item;

    ring->reported = false;
    ring->made++;
    rings->counters.made++;
    if ( sim_chance(&host->draw, QUEUE_FULL) )
        lose(rings, ring, XENOPROF_LOST_QUEUE);
    else if ( ring->samples.count >= host->scenario->ring_room )
        lose(rings, ring, XENOPROF_LOST_RING);
    else if ( (item = vector_add(&ring->samples)) )
    {
        *item = *sample;
        ring->committed++;
        rings->counters.committed++;
    }
}

static uint64_t due_at(struct sim_host *host, const struct sim_domain *domain)
{
    uint64_t due = domain->named;

    if ( host->scenario->late && sim_chance(&host->draw, LATE_ANSWER) )
        due = host->now +
              sim_scaled(&host->draw, SIM_SECOND / 10, 120 * SIM_SECOND);
    return due;
}

static void sample_vcpu(struct sim_host *host, struct sim_rings *rings,
                        struct sim_sample *sample)
{
    const struct sim_pcpu *pcpu = &host->pcpus[sample->pcpu];
    struct sim_vcpu *vcpu = &host->vcpus[pcpu->vcpu];
    const struct sim_domain *domain = &host->domains[vcpu->domain];
    bool switched = sim_chance(&host->draw, SWITCHED);

    sim_stream_run(host, &vcpu->stream, host->now);
    sample->domain = vcpu->domain;
    sample->vcpu = vcpu->number;
    sample->chain = vcpu->stream.piece.chain;
    sample->due = due_at(host, domain);
    sample->marks = (domain->foreign ? XENOPROF_MARK_FOREIGN : 0) |
                    (switched ? XENOPROF_MARK_SWITCHED : 0);
    sample->ring = sample->marks ? host->vcpu_count + sample->pcpu : pcpu->vcpu;
    put(host, rings, sample);
}

/* An idle pCPU is rarely asked, and what it does then stands for more. */
static void sample_idle(struct sim_host *host, struct sim_rings *rings,
                        struct sim_sample *sample)
{
    struct sim_pcpu *pcpu = &host->pcpus[sample->pcpu];

    if ( pcpu->looks++ % IDLE_TURNS )
        return;
    rings->counters.due++;
    sim_stream_run(host, &pcpu->stream, host->now);
    if ( !pcpu->stream.piece.chain )
    {
        rings->counters.missed++;
        rings->counters.idle++;
        return;
    }
    sample->domain = SIM_NOBODY;
    sample->vcpu = sample->pcpu;
    sample->chain = pcpu->stream.piece.chain;
    sample->ring = host->vcpu_count + sample->pcpu;
    sample->weight = IDLE_TURNS;
    put(host, rings, sample);
}

static void look(struct sim_host *host, struct sim_rings *rings, uint32_t which)
{
    struct sim_sample sample = {
        .time = host->now,
        .pcpu = (uint16_t)which,
        .period = (uint32_t)sim_period_at(host->scenario, host->now),
        .weight = 1,
    };

    if ( host->pcpus[which].vcpu == SIM_NOBODY )
    {
        sample_idle(host, rings, &sample);
        return;
    }
    rings->counters.due++;
    if ( sim_chance(&host->draw, host->scenario->missed) )
        rings->counters.missed++;
    else
        sample_vcpu(host, rings, &sample);
}

void sim_tick(struct sim_host *host, struct sim_rings *rings, uint32_t which)
{
    struct sim_pcpu *pcpu = &host->pcpus[which];
    uint64_t period = sim_period_at(host->scenario, host->now);

    pcpu->grid += period;
    sim_add(&host->events, pcpu->grid + sim_below(&host->draw, period / 4),
            SIM_TICK, which, 0);
    if ( sim_samples_at(host->scenario, host->now) )
        look(host, rings, which);
}
