/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who runs where. */
#include "sim-scheduler.h"

#define CAP_PERIOD (SIM_SECOND / 10)

static void set_state(struct sim_host *host, struct sim_vcpu *vcpu,
                      enum sim_state state)
{
    vcpu->times[vcpu->state] += host->now - vcpu->since;
    vcpu->state = state;
    vcpu->since = host->now;
}

static void add_number(struct sim_numbers *numbers, uint32_t number)
{
    uint32_t *item = vector_add(numbers);

    if ( item )
        *item = number;
}

/* Returns the end of the halt that the vCPU is in, or 0. */
static uint64_t halted_until(const struct sim_host *host,
                             const struct sim_vcpu *vcpu)
{
    for ( unsigned int i = 0; i < SIM_HALTS; i++ )
        if ( host->now >= vcpu->halts[i].from && host->now < vcpu->halts[i].to )
            return vcpu->halts[i].to;
    return 0;
}

/* Returns the ns that its cap leaves of these 100 ms. */
static uint64_t cap_left(const struct sim_host *host, struct sim_vcpu *vcpu)
{
    uint64_t period = host->now / CAP_PERIOD;

    if ( !vcpu->cap )
        return UINT64_MAX;
    if ( vcpu->used_in != period )
        vcpu->used = 0;
    vcpu->used_in = period;
    return vcpu->cap > vcpu->used ? vcpu->cap - vcpu->used : 0;
}

static uint64_t run_length(struct sim_host *host, struct sim_vcpu *vcpu)
{
    uint64_t length = vcpu->want, cap = cap_left(host, vcpu);
    uint64_t slice = host->scenario->slice * (vcpu->domain ? 1 : 2);

    if ( length > slice )
        length = slice;
    if ( length > cap )
        length = cap;
    for ( unsigned int i = 0; i < SIM_HALTS; i++ )
        if ( vcpu->halts[i].from > host->now &&
             vcpu->halts[i].from - host->now < length )
            length = vcpu->halts[i].from - host->now;
    return length;
}

static void start(struct sim_host *host, uint32_t number, uint32_t which)
{
    struct sim_pcpu *pcpu = &host->pcpus[number];
    struct sim_vcpu *vcpu = &host->vcpus[which];

    set_state(host, vcpu, SIM_RUNNING);
    vcpu->pcpu = number;
    vcpu->stream.at = host->now;
    pcpu->vcpu = which;
    pcpu->since = host->now;
    pcpu->run++;
    sim_add(&host->events, host->now + run_length(host, vcpu), SIM_END, number,
            pcpu->run);
}

/* The pCPU's idle vCPU stops, if there is one that is idle. */
static uint32_t take_resting(struct sim_host *host)
{
    struct sim_numbers *resting = &host->resting;
    struct sim_pcpu *pcpu;
    uint32_t *at, number;

    if ( !resting->count )
        return SIM_NOBODY;
    at = &resting->items[sim_below(&host->draw, resting->count)];
    number = *at;
    *at = resting->items[--resting->count];
    pcpu = &host->pcpus[number];
    sim_stream_run(host, &pcpu->stream, host->now);
    pcpu->idle += host->now - pcpu->since;
    return number;
}

/* A vCPU with work. */
static void make_ready(struct sim_host *host, uint32_t which)
{
    struct sim_vcpu *vcpu = &host->vcpus[which];
    uint64_t until = halted_until(host, vcpu);
    uint32_t pcpu;

    if ( until )
    {
        set_state(host, vcpu, SIM_PAUSED);
        sim_add(&host->events, until, SIM_WAKE, which, 0);
        return;
    }
    if ( !cap_left(host, vcpu) )
    {
        set_state(host, vcpu, SIM_CAPPED);
        sim_add(&host->events, (host->now / CAP_PERIOD + 1) * CAP_PERIOD,
                SIM_WAKE, which, 0);
        return;
    }
    set_state(host, vcpu, SIM_RUNNABLE);
    pcpu = take_resting(host);
    if ( pcpu == SIM_NOBODY )
        add_number(&host->waiting, which);
    else
        start(host, pcpu, which);
}

void sim_wake(struct sim_host *host, uint32_t which)
{
    struct sim_vcpu *vcpu = &host->vcpus[which];

    if ( vcpu->gone )
        return;
    if ( !vcpu->want )
        vcpu->want = sim_until(&host->draw, (double)host->scenario->burst);
    make_ready(host, which);
}

static void block(struct sim_host *host, uint32_t which)
{
    struct sim_vcpu *vcpu = &host->vcpus[which];
    bool device = host->scenario->devices && sim_chance(&host->draw, 100);

    set_state(host, vcpu, device ? SIM_DEVICE : SIM_BLOCKED);
    sim_add(&host->events, host->now + sim_until(&host->draw, vcpu->blocks),
            SIM_WAKE, which, 0);
}

/* Who runs gets its time. */
static void count_run(struct sim_host *host, struct sim_pcpu *pcpu)
{
    struct sim_vcpu *vcpu = &host->vcpus[pcpu->vcpu];
    uint64_t ran = host->now - pcpu->since;

    sim_stream_run(host, &vcpu->stream, host->now);
    sim_count(host, vcpu->time, pcpu->since, host->now);
    vcpu->want -= ran < vcpu->want ? ran : vcpu->want;
    vcpu->used += ran;
    pcpu->since = host->now;
}

/* Returns the next vCPU that waits, or SIM_NOBODY. */
static uint32_t take_waiting(struct sim_host *host)
{
    struct sim_numbers *waiting = &host->waiting;

    while ( host->first < waiting->count )
    {
        uint32_t which = waiting->items[host->first++];

        if ( !host->vcpus[which].gone )
            return which;
    }
    waiting->count = host->first = 0;
    return SIM_NOBODY;
}

static void go_on(struct sim_host *host, uint32_t number)
{
    struct sim_pcpu *pcpu = &host->pcpus[number];
    uint32_t next = take_waiting(host);

    if ( next != SIM_NOBODY )
    {
        start(host, number, next);
        return;
    }
    pcpu->vcpu = SIM_NOBODY;
    pcpu->since = pcpu->stream.at = host->now;
    add_number(&host->resting, number);
}

void sim_end(struct sim_host *host, const struct sim_event *event)
{
    struct sim_pcpu *pcpu = &host->pcpus[event->what];
    uint32_t which = pcpu->vcpu;

    if ( which == SIM_NOBODY || pcpu->run != event->stamp )
        return;
    count_run(host, pcpu);
    if ( host->vcpus[which].want )
        make_ready(host, which);
    else
        block(host, which);
    go_on(host, event->what);
}

void sim_birth(struct sim_host *host, uint32_t index)
{
    const struct sim_domain *domain = &host->domains[index];

    for ( uint32_t i = 0; i < domain->vcpus; i++ )
    {
        host->vcpus[domain->first + i].since = host->now;
        sim_add(&host->events,
                host->now + sim_below(&host->draw, 10 * SIM_SECOND / 1000),
                SIM_WAKE, domain->first + i, 0);
    }
}

void sim_death(struct sim_host *host, uint32_t index)
{
    struct sim_domain *domain = &host->domains[index];

    domain->gone = true;
    for ( uint32_t i = domain->first; i < domain->first + domain->vcpus; i++ )
    {
        struct sim_vcpu *vcpu = &host->vcpus[i];
        bool ran = vcpu->state == SIM_RUNNING;

        vcpu->gone = true;
        if ( ran )
            count_run(host, &host->pcpus[vcpu->pcpu]);
        set_state(host, vcpu, SIM_PAUSED);
        if ( ran )
            go_on(host, vcpu->pcpu);
    }
}

void sim_settle(struct sim_host *host)
{
    for ( uint32_t i = 0; i < host->scenario->pcpus; i++ )
    {
        struct sim_pcpu *pcpu = &host->pcpus[i];

        if ( pcpu->vcpu != SIM_NOBODY )
            count_run(host, pcpu);
        else
            sim_stream_run(host, &pcpu->stream, host->now);
    }
}
