/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --export=perfetto: a message perfetto.protos.Trace, as
 * github.com/google/perfetto, protos/perfetto/trace at ec5d16b14b has it.  A
 * domain is a process and a vCPU a thread of it, which have the samples with
 * their stacks; a track for each pCPU shows which vCPU samples met there.
 * Times are Xen's own, in ns, with UTC beside them.
 *
 * A sample says how far a counter of its pCPU had come: the difference to the
 * sample before on that pCPU is what it stands for.
 */
#include "export-tracks.h"

#include "base/must.h"
#include "base/protobuf.h"
#include "base/scope.h"
#include "perfetto-tracks.h"
#include "report/model/domain-text.h"
#include "report/model/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PID_FIRST 10000u      /* of domain 0: a pid of 0 is Linux's idle task */
#define PID_AGAIN 100000u     /* from one domain of a number to the next */
#define TID_FIRST 0x10000000u /* no pid is so large */

struct perfetto {
    struct export_walk walk;
    struct export_tracks vcpus, pcpus;
    struct perfetto_out out;
    struct perfetto_stacks stacks;
    uint64_t period; /* ns, or units, from one sample to the next */
    uint64_t shown;  /* ns that a sample is shown for; 0: that varies */
};

/* A run of samples of one vCPU on a pCPU. */
struct perfetto_slice {
    const struct cell *cell; /* NULL: none has begun */
    uint64_t to;
};

static void put_clock(struct perfetto *perfetto, enum perfetto_clock_id clock,
                      uint64_t time)
{
    protobuf_number(&perfetto->out.inner, PERFETTO_CLOCK_ID, clock);
    protobuf_number(&perfetto->out.inner, PERFETTO_CLOCK_TIME, time);
    protobuf_message(&perfetto->out.part, PERFETTO_CLOCK, &perfetto->out.inner);
}

static void put_clocks(struct perfetto *perfetto)
{
    const struct clocks *clocks = &perfetto->walk.loaded->clocks;

    put_clock(perfetto, PERFETTO_BOOTTIME, clocks->start);
    if ( clocks->utc_known )
        put_clock(perfetto, PERFETTO_REALTIME,
                  clocks_utc(clocks, clocks->start));
    protobuf_number(&perfetto->out.packet, PERFETTO_TIMESTAMP, clocks->start);
    protobuf_message(&perfetto->out.packet, PERFETTO_CLOCK_SNAPSHOT,
                     &perfetto->out.part);
    perfetto_put_packet(&perfetto->out, PERFETTO_CLEARED);
}

static void put_defaults(struct perfetto *perfetto)
{
    const struct sample_type *type = types_shown(&perfetto->walk.loaded->types);
    struct buffer timebase = {.used = 0};

    protobuf_element(&timebase, PERFETTO_TIMEBASE_PERIOD, perfetto->period);
    protobuf_text(&timebase, PERFETTO_TIMEBASE_NAME, type->name);
    protobuf_message(&perfetto->out.inner, PERFETTO_TIMEBASE, &timebase);
    protobuf_message(&perfetto->out.part, PERFETTO_SAMPLE_DEFAULTS,
                     &perfetto->out.inner);
    protobuf_message(&perfetto->out.packet, PERFETTO_DEFAULTS,
                     &perfetto->out.part);
    perfetto_put_packet(&perfetto->out, PERFETTO_NEEDS);
    buffer_free(&timebase);
}

static uint32_t pid_of(const struct loaded *loaded, uint32_t index)
{
    const struct loaded_domain *domain = loaded_domain(loaded, index);
    uint32_t pid = PID_FIRST + domain->key.number;

    if ( domain->key.other )
        return PID_FIRST - 1;
    for ( uint32_t i = DOMAIN_INDEX_IDLE + 1; i < index; i++ )
        if ( loaded_domain(loaded, i)->key.number == domain->key.number )
            pid += PID_AGAIN;
    return pid;
}

static enum perfetto_mode mode_of(const struct cell *cell)
{
    /* Nothing is said of what is not profiled. */
    switch ( cell_placeless(cell) ? XENOPROF_MODES : cell->key.mode )
    {
    case XENOPROF_MODE_XEN: return PERFETTO_MODE_HYPERVISOR;
    case XENOPROF_MODE_KERNEL: return PERFETTO_MODE_GUEST_KERNEL;
    case XENOPROF_MODE_USER: return PERFETTO_MODE_GUEST_USER;
    default: return 0;
    }
}

static uint32_t tid_of(const struct track_key *key)
{
    return TID_FIRST + (key->domain << 16 | key->cpu);
}

static void end_track(struct perfetto *perfetto)
{
    protobuf_message(&perfetto->out.packet, PERFETTO_TRACK,
                     &perfetto->out.part);
    perfetto_put_packet(&perfetto->out, PERFETTO_NEEDS);
}

static void put_process(struct perfetto *perfetto, uint32_t domain)
{
    const struct loaded *loaded = perfetto->walk.loaded;
    const uint32_t pid = pid_of(loaded, domain);
    char *name SCOPE_FREE = domain_text(loaded, domain);

    protobuf_number(&perfetto->out.part, PERFETTO_TRACK_ID,
                    PERFETTO_PROCESS_TRACKS + pid);
    protobuf_number(&perfetto->out.inner, PERFETTO_PROCESS_PID, pid);
    protobuf_text(&perfetto->out.inner, PERFETTO_PROCESS_NAME, name);
    protobuf_message(&perfetto->out.part, PERFETTO_TRACK_PROCESS,
                     &perfetto->out.inner);
    end_track(perfetto);
}

static void put_thread(struct perfetto *perfetto, const struct track *track)
{
    char *name SCOPE_FREE = track_name(&perfetto->vcpus, track);
    const uint32_t tid = tid_of(&track->key);

    protobuf_number(&perfetto->out.part, PERFETTO_TRACK_ID,
                    PERFETTO_THREAD_TRACKS + tid);
    protobuf_number(&perfetto->out.inner, PERFETTO_THREAD_PID,
                    pid_of(perfetto->walk.loaded, track->key.domain));
    protobuf_number(&perfetto->out.inner, PERFETTO_THREAD_TID, tid);
    protobuf_text(&perfetto->out.inner, PERFETTO_THREAD_NAME, name);
    protobuf_message(&perfetto->out.part, PERFETTO_TRACK_THREAD,
                     &perfetto->out.inner);
    end_track(perfetto);
}

static uint64_t pcpu_track(const struct track *track)
{
    return PERFETTO_PCPU_TRACKS + track->key.cpu;
}

static void put_tracks(struct perfetto *perfetto)
{
    perfetto_put_track(&perfetto->out, PERFETTO_HOST, 0, "Host");
    for ( size_t i = 0; i < perfetto->pcpus.count; i++ )
    {
        const struct track *track = &perfetto->pcpus.items[i];
        char *name SCOPE_FREE = track_name(&perfetto->pcpus, track);

        perfetto_put_track(&perfetto->out, pcpu_track(track), PERFETTO_HOST,
                           name);
    }
    for ( size_t i = 0; i < perfetto->vcpus.count; i++ )
    {
        const struct track *track = &perfetto->vcpus.items[i];

        if ( !i || track[-1].key.domain != track->key.domain )
            put_process(perfetto, track->key.domain);
        put_thread(perfetto, track);
    }
}

/* It ends before next, where another one begins. */
static void end_slice(struct perfetto *perfetto, const struct track *track,
                      struct perfetto_slice *slice, uint64_t next)
{
    if ( slice->cell )
        perfetto_put_event(&perfetto->out, pcpu_track(track),
                           PERFETTO_SLICE_END,
                           next < slice->to ? next : slice->to, NULL);
    slice->cell = NULL;
}

static void take_for_slice(struct perfetto *perfetto, const struct track *track,
                           struct perfetto_slice *slice,
                           const struct walk_sample *sample)
{
    const struct track vcpu = {
        .key = track_key_of(sample->cell, TRACKS_OF_VCPUS)};
    char *name SCOPE_FREE = NULL;

    if ( !sample->count )
        return;
    if ( !slice->cell || slice->cell->key.domain != sample->cell->key.domain ||
         slice->cell->key.vcpu != sample->cell->key.vcpu ||
         sample->time > slice->to )
    {
        end_slice(perfetto, track, slice, sample->time);
        name = track_name(&perfetto->vcpus, &vcpu);
        perfetto_put_event(&perfetto->out, pcpu_track(track),
                           PERFETTO_SLICE_BEGIN, sample->time, name);
    }
    slice->cell = sample->cell;
    slice->to = sample->time + perfetto->shown < sample->time
                    ? UINT64_MAX
                    : sample->time + perfetto->shown;
}

static void put_sample(struct perfetto *perfetto,
                       const struct walk_sample *sample, uint64_t sum)
{
    const struct cell *cell = sample->cell;
    const struct track_key key = track_key_of(cell, TRACKS_OF_VCPUS);
    struct buffer *part = &perfetto->out.part;

    perfetto_put_stack(&perfetto->stacks, sample->stack);
    protobuf_number(&perfetto->out.packet, PERFETTO_TIMESTAMP, sample->time);
    if ( cell->key.pcpu != CELL_SEVERAL )
        protobuf_element(part, PERFETTO_SAMPLE_CPU, cell->key.pcpu);
    protobuf_number(part, PERFETTO_SAMPLE_PID,
                    pid_of(perfetto->walk.loaded, key.domain));
    protobuf_number(part, PERFETTO_SAMPLE_TID, tid_of(&key));
    protobuf_number(part, PERFETTO_SAMPLE_STACK, sample->stack + 1u);
    protobuf_number(part, PERFETTO_SAMPLE_MODE, mode_of(cell));
    protobuf_element(part, PERFETTO_SAMPLE_COUNT, sum);
    protobuf_message(&perfetto->out.packet, PERFETTO_SAMPLE, part);
    perfetto_put_packet(&perfetto->out, PERFETTO_NEEDS);
}

static void put_pcpu(struct perfetto *perfetto, const struct track *track)
{
    struct perfetto_slice slice = {.cell = NULL};
    struct walk_sample sample;
    uint64_t sum = 0;

    while ( track_next(&perfetto->pcpus, track, &sample) )
    {
        sum += sample.amount;
        take_for_slice(perfetto, track, &slice, &sample);
        put_sample(perfetto, &sample, sum);
    }
    end_slice(perfetto, track, &slice, UINT64_MAX);
}

static void put_trace(struct perfetto *perfetto)
{
    put_clocks(perfetto);
    put_defaults(perfetto);
    put_tracks(perfetto);
    perfetto_put_frames(&perfetto->stacks);
    for ( size_t i = 0; i < perfetto->pcpus.count; i++ )
        put_pcpu(perfetto, &perfetto->pcpus.items[i]);
    perfetto_put_told(&perfetto->out, &perfetto->walk);
}

static void print_perfetto(const struct report *report, FILE *file)
{
    struct perfetto perfetto = {.out.file = file};

    walk_init(&perfetto.walk, report);
    perfetto.period = walk_period(&perfetto.walk);
    perfetto.shown = types_is_time(&report->loaded->types) ? perfetto.period
                                                           : 0;
    tracks_init(&perfetto.vcpus, &perfetto.walk, TRACKS_OF_VCPUS);
    tracks_init(&perfetto.pcpus, &perfetto.walk, TRACKS_OF_PCPUS);
    perfetto_stacks_init(&perfetto.stacks, &perfetto.walk, &perfetto.out);
    put_trace(&perfetto);
    perfetto_stacks_free(&perfetto.stacks);
    perfetto_end(&perfetto.out);
    tracks_free(&perfetto.pcpus);
    tracks_free(&perfetto.vcpus);
    walk_free(&perfetto.walk);
}

const struct view export_perfetto = {
    .print = print_perfetto,
    .option = "export",
    .stacks = true,
    .lines = true,
    .log = true,
    .labels = true,
    .bytes = true,
    .opens = "open it at ui.perfetto.dev",
};
