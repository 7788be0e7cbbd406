/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is there. */
#include "sim-host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAP_PERIOD (SIM_SECOND / 10)

static void name_domain(struct sim_host *host, uint32_t index)
{
    struct sim_domain *domain = &host->domains[index];

    snprintf(domain->name, sizeof(domain->name), "guest-%u", index);
    if ( !index )
        strcpy(domain->name, "Domain-0");
    for ( size_t i = 0; index && i < sizeof(domain->uuid); i++ )
        domain->uuid[i] = (uint8_t)sim_below(&host->draw, 256);
    domain->number = (uint16_t)index;
}

/* Those that are born late may have the number of one that died, as after
 * 32,752 others. */
static void draw_life(struct sim_host *host, uint32_t index)
{
    const struct sim_scenario *scenario = host->scenario;
    uint64_t length = scenario->end - scenario->begin;
    struct sim_domain *domain = &host->domains[index];
    struct sim_draw *draw = &host->draw;

    domain->born = scenario->begin;
    domain->dies = UINT64_MAX;
    if ( index && scenario->births && sim_chance(draw, 500) )
        domain->born += sim_below(draw, length);
    if ( index && scenario->births && sim_chance(draw, 400) )
        domain->dies = domain->born + 1 + sim_below(draw, length);
    for ( uint32_t i = 1; scenario->numbers_again && i < index; i++ )
        if ( host->domains[i].dies < domain->born )
            domain->number = host->domains[i].number;
    for ( uint32_t i = 0; i < index; i++ )
        if ( host->domains[i].number == domain->number &&
             host->domains[i].dies >= domain->born )
            domain->number = (uint16_t)index;
    domain->foreign = index && scenario->others && sim_chance(draw, 400);
    domain->named = scenario->late && sim_chance(draw, 500)
                        ? domain->born +
                              sim_scaled(draw, SIM_SECOND, 120 * SIM_SECOND)
                        : 0;
}

static struct sim_range draw_halt(struct sim_host *host, uint64_t from)
{
    uint64_t length = host->scenario->end - host->scenario->begin;
    struct sim_range halt = {.from = from};

    if ( !from )
        halt.from = host->scenario->begin + sim_below(&host->draw, length);
    halt.to = halt.from + sim_scaled(&host->draw, SIM_SECOND / 20, length);
    return halt;
}

static void draw_demand(struct sim_host *host, struct sim_vcpu *vcpu)
{
    static const double shares[] = {0.01, 0.05, 0.2, 0.5, 0.8, 0.999};
    double share = shares[sim_below(&host->draw, 6)];

    vcpu->blocks = (double)host->scenario->burst * (1 - share) / share;
    if ( host->scenario->capped && sim_chance(&host->draw, 300) )
        vcpu->cap = sim_between(&host->draw, CAP_PERIOD / 20, CAP_PERIOD / 2);
}

static void make_vcpu(struct sim_host *host, uint32_t index, uint16_t number)
{
    const struct sim_scenario *scenario = host->scenario;
    struct sim_vcpu *vcpu = &host->vcpus[host->vcpu_count++];
    struct sim_domain *domain = &host->domains[index];

    vcpu->domain = index;
    vcpu->number = number;
    vcpu->state = SIM_BLOCKED;
    vcpu->stream.program = &domain->program;
    draw_demand(host, vcpu);
    if ( scenario->hotplug && number && sim_chance(&host->draw, 500) )
        vcpu->halts[0] = draw_halt(host, domain->born);
    if ( scenario->paused && index && sim_chance(&host->draw, 400) )
        vcpu->halts[1] = draw_halt(host, 0);
}

static void make_domain(struct sim_host *host, uint32_t index)
{
    struct sim_domain *domain = &host->domains[index];

    name_domain(host, index);
    draw_life(host, index);
    sim_program_make(&domain->program, host->scenario, &host->draw, false);
    domain->first = host->vcpu_count;
    domain->vcpus = (uint32_t)sim_between(&host->draw, 1,
                                          host->scenario->vcpus_max);
    for ( uint16_t i = 0; i < domain->vcpus; i++ )
        make_vcpu(host, index, i);
    sim_add(&host->events, domain->born, SIM_BIRTH, index, 0);
    if ( domain->dies < host->scenario->end )
        sim_add(&host->events, domain->dies, SIM_DEATH, index, 0);
}

static void make_pcpu(struct sim_host *host, uint32_t index)
{
    struct sim_pcpu *pcpu = &host->pcpus[index];
    uint64_t begin = host->scenario->begin;
    uint64_t period = sim_period_at(host->scenario, begin);

    pcpu->vcpu = SIM_NOBODY;
    pcpu->since = pcpu->stream.at = begin;
    pcpu->idle = sim_below(&host->draw, begin);
    pcpu->stream.program = &host->idle;
    pcpu->grid = begin + period * index / host->scenario->pcpus;
    sim_add(&host->events, pcpu->grid, SIM_TICK, index, 0);
    *(uint32_t *)vector_add(&host->resting) = index;
}

void sim_host_make(struct sim_host *host, const struct sim_scenario *scenario,
                   const struct sim_draw *draw)
{
    *host = (struct sim_host){.scenario = scenario, .draw = *draw};
    host->domain_count = scenario->domains;
    host->domains = sim_memory(scenario->domains, sizeof(*host->domains));
    host->vcpus = sim_memory((uint64_t)scenario->domains * scenario->vcpus_max,
                             sizeof(*host->vcpus));
    host->pcpus = sim_memory(scenario->pcpus, sizeof(*host->pcpus));
    sim_program_make(&host->idle, scenario, &host->draw, true);
    for ( uint32_t i = 0; i < scenario->domains; i++ )
        make_domain(host, i);
    for ( uint32_t i = 0; i < scenario->pcpus; i++ )
        make_pcpu(host, i);
}

void sim_host_free(struct sim_host *host)
{
    for ( uint32_t i = 0; i < host->domain_count; i++ )
        sim_program_free(&host->domains[i].program);
    sim_program_free(&host->idle);
    free(host->domains);
    free(host->vcpus);
    free(host->pcpus);
    vector_free(&host->events);
    vector_free(&host->waiting);
    vector_free(&host->resting);
}

void sim_count(const struct sim_host *host, uint64_t sums[SIM_RANGES],
               uint64_t from, uint64_t to)
{
    for ( unsigned int i = 0; i < SIM_RANGES; i++ )
    {
        const struct sim_range *range = &host->scenario->ranges[i];
        uint64_t begin = from > range->from ? from : range->from;
        uint64_t end = to < range->to ? to : range->to;

        if ( begin < end )
            sums[i] += end - begin;
    }
}

void sim_stream_run(struct sim_host *host, struct sim_stream *stream,
                    uint64_t to)
{
    struct sim_piece *piece = &stream->piece;

    while ( stream->at < to )
    {
        uint64_t step = to - stream->at;

        if ( !piece->left )
            *piece = sim_program_draw(stream->program, &host->draw,
                                      piece->chain, stream->at);
        if ( step > piece->left )
            step = piece->left;
        sim_count(host, stream->program->chains[piece->chain].time, stream->at,
                  stream->at + step);
        stream->at += step;
        piece->left -= step;
    }
}

uint64_t sim_time_in(const struct sim_host *host, const struct sim_vcpu *vcpu,
                     enum sim_state state)
{
    return vcpu->times[state] +
           (vcpu->state == state ? host->now - vcpu->since : 0);
}
