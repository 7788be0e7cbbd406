/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-recorder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim-store.h"

#include "libxenoprof/session/session-attributes.h"

#define SAMPLE_BYTES 500u /* in a ring */
#define PENDING_MOST (1u << 20)
#define GRACE        (4 * SIM_SECOND) /* until a domain has no more samples */
#define BLOCK_EVERY  SIM_SECOND
#define UTC_EVERY    (60 * SIM_SECOND)
#define UTC_BEGIN    1790000000ull /* seconds since 1970 */

static void put_fact(struct sim_recorder *recorder, const char *key,
                     uint64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, value);
    sim_recorder_check(recorder, xenoprof_writer_attribute(recorder->writer,
                                                           recorder->host->now,
                                                           key, text));
}

/* dom0's clock may be set while a session is written. */
static void put_utc(struct sim_recorder *recorder)
{
    const struct sim_scenario *scenario = recorder->host->scenario;
    uint64_t now = recorder->host->now, step = 0;

    if ( scenario->utc_steps && now > scenario->begin )
        step = sim_below(&recorder->host->draw, 7200);
    put_fact(recorder, SESSION_ATTRIBUTE_UTC,
             (UTC_BEGIN + step) * SIM_SECOND + now - scenario->begin);
    recorder->next_utc = now +
                         (scenario->utc_steps ? 3 * SIM_SECOND : UTC_EVERY);
}

static void put_facts(struct sim_recorder *recorder)
{
    const struct sim_scenario *scenario = recorder->host->scenario;

    put_utc(recorder);
    put_fact(recorder, SESSION_ATTRIBUTE_FREQUENCY, scenario->hz);
    put_fact(recorder, SESSION_ATTRIBUTE_PCPUS, scenario->pcpus);
    sim_recorder_check(
        recorder, xenoprof_writer_attribute(recorder->writer, scenario->begin,
                                            SESSION_ATTRIBUTE_SAMPLER, "nmi"));
}

void sim_recorder_open(struct sim_recorder *recorder, struct sim_host *host,
                       struct sim_rings *rings, const char *folder,
                       FILE *stored)
{
    *recorder = (struct sim_recorder){
        .host = host,
        .rings = rings,
        .handle = xenoprof_open(),
        .stored = stored,
        .numbered = sim_memory(SIM_NUMBERS, sizeof(*recorder->numbered)),
        .next_block = host->scenario->first_block,
    };
    sim_recorder_check(
        recorder,
        xenoprof_writer_create(recorder->handle, folder, &recorder->writer));
    xenoprof_writer_time_unit(recorder->writer, SIM_TIME_UNIT);
    if ( host->scenario->file_bytes )
        xenoprof_writer_rotate_at(recorder->writer, host->scenario->file_bytes);
    host->now = host->scenario->begin;
    put_facts(recorder);
    sim_waits_make(&recorder->waits, host);
    sim_add(&host->events, host->scenario->first_block, SIM_READ, 0, 0);
}

/* What has its names, or at the end all of it. */
static void store_waiting(struct sim_recorder *recorder, bool all)
{
    struct sim_samples *waiting = &recorder->waiting;
    size_t left = 0;

    for ( size_t i = 0; i < waiting->count; i++ )
    {
        if ( all || waiting->items[i].due <= recorder->host->now )
            sim_store(recorder, &waiting->items[i]);
        else
            waiting->items[left++] = waiting->items[i];
    }
    waiting->count = left;
}

static void read_ring(struct sim_recorder *recorder, struct sim_ring *ring)
{
    for ( size_t i = 0; i < ring->samples.count; i++ )
    {
        const struct sim_sample *sample = &ring->samples.items[i];
        struct sim_sample *late;

        if ( sample->due <= recorder->host->now )
            sim_store(recorder, sample);
        else if ( (late = vector_add(&recorder->waiting)) )
            *late = *sample;
    }
    ring->taken += ring->samples.count;
    ring->samples.count = 0;
}

static void put_ring(struct sim_recorder *recorder, uint32_t index)
{
    const struct sim_host *host = recorder->host;
    struct sim_ring *ring = &recorder->rings->rings[index];
    bool own = ring->domain != SIM_NOBODY;
    struct xenoprof_ring_info info = {
        .ring = index,
        .generation = 1,
        .vcpu = ring->number,
        .kind = own ? XENOPROF_RING_VCPU : XENOPROF_RING_PCPU,
        .state = XENOPROF_RING_OPEN,
        .size = 1 << 18,
        .producer = ring->committed * SAMPLE_BYTES,
        .position = ring->taken * SAMPLE_BYTES,
        .released = ring->taken * SAMPLE_BYTES,
        .made = ring->made,
        .committed = ring->committed,
    };

    if ( own )
    {
        info.domain = host->domains[ring->domain].number;
        memcpy(info.uuid, host->domains[ring->domain].uuid, sizeof(info.uuid));
    }
    memcpy(info.lost, ring->lost, sizeof(info.lost));
    sim_recorder_check(recorder,
                       xenoprof_writer_ring(recorder->writer, &info, ring->read,
                                            0, ring->taken - ring->read));
    ring->reported = true;
    if ( own && !ring->ended && host->domains[ring->domain].gone &&
         host->now > host->domains[ring->domain].dies + GRACE &&
         ring->read == ring->made - ring->lost[XENOPROF_LOST_QUEUE] -
                           ring->lost[XENOPROF_LOST_RING] )
    {
        ring->ended = true;
        sim_recorder_check(recorder,
                           xenoprof_writer_ring_ended(recorder->writer, &info));
    }
}

static void put_block(struct sim_recorder *recorder)
{
    struct sim_host *host = recorder->host;

    for ( uint32_t i = 0; i < recorder->rings->count; i++ )
        if ( !recorder->rings->rings[i].reported )
            put_ring(recorder, i);
    recorder->rings->counters.cost += 3000000;
    sim_recorder_check(recorder,
                       xenoprof_writer_counters(recorder->writer, host->now,
                                                &recorder->rings->counters));
    for ( uint32_t i = 0; i < host->scenario->pcpus; i++ )
    {
        const struct sim_pcpu *pcpu = &host->pcpus[i];
        uint64_t idle = pcpu->idle;

        if ( pcpu->vcpu == SIM_NOBODY )
            idle += host->now - pcpu->since;
        sim_recorder_check(recorder,
                           xenoprof_writer_idle(recorder->writer, host->now,
                                                (uint16_t)i, idle));
        fprintf(recorder->stored, "idle %" PRIu64 " %" PRIu32 " %" PRIu64 "\n",
                host->now, i, idle);
    }
    sim_recorder_check(recorder, xenoprof_writer_flush(recorder->writer));
    recorder->next_block = host->now + BLOCK_EVERY;
}

static void read_rings(struct sim_recorder *recorder, bool last)
{
    struct sim_host *host = recorder->host;

    sim_waits_read(recorder, last);
    for ( uint32_t i = 0; i < recorder->rings->count; i++ )
    {
        read_ring(recorder, &recorder->rings->rings[i]);
        if ( xenoprof_writer_pending(recorder->writer) > PENDING_MOST )
            sim_recorder_check(recorder,
                               xenoprof_writer_flush(recorder->writer));
    }
    if ( host->now >= recorder->next_utc )
        put_utc(recorder);
    if ( host->scenario->slow_hz && !recorder->slowed &&
         host->now >= host->scenario->slow_at )
    {
        recorder->slowed = true;
        put_fact(recorder, SESSION_ATTRIBUTE_FREQUENCY,
                 host->scenario->slow_hz);
    }
}

void sim_recorder_read(struct sim_recorder *recorder)
{
    struct sim_host *host = recorder->host;
    struct sim_range stall;

    if ( sim_stalled(host->scenario, host->now, &stall) )
    {
        sim_add(&host->events, stall.to, SIM_READ, 0, 0);
        return;
    }
    read_rings(recorder, false);
    store_waiting(recorder, false);
    if ( host->now >= recorder->next_block )
        put_block(recorder);
    sim_add(&host->events, host->now + host->scenario->read_every, SIM_READ, 0,
            0);
}

void sim_recorder_close(struct sim_recorder *recorder)
{
    struct sim_host *host = recorder->host;
    bool closed = host->scenario->closed;

    if ( closed )
        sim_waits_round(&recorder->waits, host, true);
    read_rings(recorder, closed);
    store_waiting(recorder, closed);
    put_block(recorder);
    if ( closed )
        sim_recorder_check(recorder,
                           xenoprof_writer_close(recorder->writer, host->now));
    xenoprof_writer_destroy(recorder->writer);
    xenoprof_close(recorder->handle);
    sim_waits_free(&recorder->waits);
    vector_free(&recorder->waiting);
    free(recorder->numbered);
}
