/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-waits.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim-store.h"

#define WHOLE_ROUNDS 16u               /* of which one has all vCPUs */
#define REST_MOST    (60 * SIM_SECOND) /* without a row */

void sim_waits_make(struct sim_waits *waits, struct sim_host *host)
{
    *waits = (struct sim_waits){.next = host->scenario->begin};
    waits->reported = sim_memory(host->vcpu_count, sizeof(*waits->reported));
    waits->seen = sim_memory(host->vcpu_count, sizeof(*waits->seen));
    sim_add(&host->events, waits->next, SIM_ROUND, 0, 0);
}

void sim_waits_free(struct sim_waits *waits)
{
    vector_free(&waits->written);
    free(waits->reported);
    free(waits->seen);
}

static bool rests(enum sim_state state)
{
    return state != SIM_RUNNING && state != SIM_RUNNABLE;
}

static void write_down(struct sim_waits *waits, const struct sim_host *host,
                       uint32_t which)
{
    const struct sim_vcpu *vcpu = &host->vcpus[which];
    struct sim_wait *wait = vector_add(&waits->written);

    if ( !wait )
        return;
    wait->time = host->now;
    wait->since = vcpu->since;
    wait->state = vcpu->state;
    wait->vcpu = which;
    for ( unsigned int i = 0; i < SIM_STATES; i++ )
        wait->times[i] = sim_time_in(host, vcpu, (enum sim_state)i);
}

static bool has_room(const struct sim_host *host)
{
    struct sim_range stall;

    return !sim_stalled(host->scenario, host->now, &stall) ||
           host->now < stall.from + host->scenario->waits_room;
}

void sim_waits_round(struct sim_waits *waits, struct sim_host *host, bool last)
{
    bool whole = last || waits->dropped || !(waits->rounds++ % WHOLE_ROUNDS);
    uint64_t known = whole ? 0 : waits->began;

    waits->next += SIM_SECOND;
    if ( !last )
        sim_add(&host->events,
                waits->next + sim_below(&host->draw, SIM_SECOND / 100),
                SIM_ROUND, 0, 0);
    waits->began = host->now;
    waits->dropped = !has_room(host);
    if ( !sim_samples_at(host->scenario, host->now) ||
         (waits->dropped && !last) )
        return;
    for ( uint32_t i = 0; i < host->vcpu_count; i++ )
    {
        const struct sim_vcpu *vcpu = &host->vcpus[i];
        bool there = vcpu->since && !vcpu->gone;

        if ( there && !(rests(vcpu->state) && vcpu->since < known) )
            write_down(waits, host, i);
    }
}

/* Rounded as sums. */
static uint64_t since_reported(const struct sim_wait *reported,
                               const struct sim_wait *seen,
                               enum sim_state state)
{
    return (seen->times[state] / XENOPROF_WAIT_UNIT -
            reported->times[state] / XENOPROF_WAIT_UNIT) *
           XENOPROF_WAIT_UNIT;
}

static void say(struct sim_recorder *recorder, uint32_t which)
{
    struct sim_wait *reported = &recorder->waits.reported[which];
    const struct sim_wait *seen = &recorder->waits.seen[which];
    const struct sim_vcpu *vcpu = &recorder->host->vcpus[which];
    const struct sim_domain *domain = &recorder->host->domains[vcpu->domain];
    uint64_t time = seen->time / XENOPROF_WAIT_UNIT * XENOPROF_WAIT_UNIT;
    struct xenoprof_waited waited = {
        .domain = domain->number,
        .vcpu = vcpu->number,
        .running = since_reported(reported, seen, SIM_RUNNING),
        .runnable = since_reported(reported, seen, SIM_RUNNABLE),
        .device = since_reported(reported, seen, SIM_DEVICE),
        .capped = since_reported(reported, seen, SIM_CAPPED),
        .paused = since_reported(reported, seen, SIM_PAUSED),
    };

    waited.span = waited.running + waited.runnable + waited.device +
                  waited.capped + waited.paused +
                  since_reported(reported, seen, SIM_BLOCKED);
    *reported = *seen;
    if ( !waited.span )
        return;
    sim_store_domain(recorder, vcpu->domain);
    sim_recorder_check(
        recorder, xenoprof_writer_wait(recorder->writer, seen->time, &waited));
    fprintf(recorder->stored,
            "wait %" PRIu64 " %" PRIu32 " %u %" PRIu64 " %" PRIu64 "\n", time,
            vcpu->domain, vcpu->number, waited.span, waited.running);
}

static void take(struct sim_recorder *recorder, const struct sim_wait *wait)
{
    struct sim_wait *reported = &recorder->waits.reported[wait->vcpu];
    struct sim_wait *seen = &recorder->waits.seen[wait->vcpu];
    bool first = !seen->time;

    *seen = *wait;
    if ( first )
        *reported = *wait;
    else if ( wait->state != reported->state ||
              wait->since != reported->since || !rests(wait->state) ||
              wait->time - reported->time >= REST_MOST )
        say(recorder, wait->vcpu);
}

void sim_waits_read(struct sim_recorder *recorder, bool last)
{
    struct sim_waits *waits = &recorder->waits;

    for ( size_t i = 0; i < waits->written.count; i++ )
        take(recorder, &waits->written.items[i]);
    waits->written.count = 0;
    for ( uint32_t i = 0; last && i < recorder->host->vcpu_count; i++ )
        if ( waits->seen[i].time != waits->reported[i].time )
            say(recorder, i);
}
