/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-store.h"

#include <inttypes.h>
#include <stdlib.h>

#include "libxenoprof/session/session-attributes.h"

void sim_recorder_check(const struct sim_recorder *recorder,
                        enum xenoprof_status status)
{
    if ( !status )
        return;
    fprintf(stderr, "make-truth: %s\n", xenoprof_message(recorder->handle));
    exit(1);
}

void sim_store_domain(struct sim_recorder *recorder, uint32_t index)
{
    const struct sim_domain *domain = &recorder->host->domains[index];
    const char *kind = index ? SESSION_KIND_PASSIVE : SESSION_KIND_DOM0;

    if ( recorder->numbered[domain->number] == index + 1 )
        return;
    recorder->numbered[domain->number] = index + 1;
    sim_recorder_check(
        recorder,
        xenoprof_writer_domain(recorder->writer, recorder->host->now,
                               domain->number, domain->uuid, domain->name,
                               domain->foreign ? SESSION_KIND_OTHER : kind));
}

/* Xen's idle domain has a name as well. */
static void say_idle(struct sim_recorder *recorder)
{
    static const uint8_t nobody[16];

    if ( recorder->numbered[XENOPROF_NOBODY] )
        return;
    recorder->numbered[XENOPROF_NOBODY] = 1;
    sim_recorder_check(
        recorder, xenoprof_writer_domain(recorder->writer, recorder->host->now,
                                         XENOPROF_NOBODY, nobody, "idle",
                                         SESSION_KIND_XEN));
}

static uint32_t put_place(struct sim_recorder *recorder, uint16_t number,
                          const struct sim_chain *chain, unsigned int frame)
{
    static const char *const images[] = {"xen", "kernel", "/usr/bin/server"};
    static const uint64_t bases[] = {0xffff82d040200000ull,
                                     0xffffffff81000000ull, 0x401000ull};
    uint8_t mode = chain->modes[frame];
    char name[SIM_NAME];
    uint64_t start = bases[mode] + chain->functions[frame] * 256ull;
    const struct xenoprof_place place = {
        .domain = mode == XENOPROF_MODE_XEN ? 0 : number,
        .mode = mode,
        .address = start + 16,
        .image = images[mode],
        .symbol = name,
        .symbol_start = start,
    };
    uint32_t ret = 0;

    sim_frame_name(chain, frame, name);
    sim_recorder_check(recorder,
                       xenoprof_writer_place(recorder->writer, &place, &ret));
    return ret;
}

/* Numbers of places are good for one file. */
static void find_places(struct sim_recorder *recorder, uint16_t number,
                        struct sim_chain *chain)
{
    uint32_t file = xenoprof_writer_epoch(recorder->writer) + 1;

    if ( chain->file == file )
        return;
    chain->file = file;
    for ( unsigned int i = 0; i < chain->depth; i++ )
        chain->places[i] = put_place(recorder, number, chain,
                                     chain->depth - 1u - i);
}

/* "-" for what has no name in a report. */
static void note_sample(struct sim_recorder *recorder,
                        const struct sim_sample *sample,
                        const struct xenoprof_stored *as,
                        const struct sim_chain *chain)
{
    char name[SIM_NAME] = "-";

    if ( !(sample->marks & XENOPROF_MARK_FOREIGN) )
        sim_frame_name(chain, chain->depth - 1u, name);
    fprintf(recorder->stored,
            "sample %" PRIu64 " %" PRId32 " %u %u %s %s %u %" PRIu32 "\n",
            as->time, (int32_t)sample->domain, as->vcpu, as->pcpu,
            xenoprof_mode_name(as->mode), name, as->weight, as->period);
}

void sim_store(struct sim_recorder *recorder, const struct sim_sample *sample)
{
    struct sim_host *host = recorder->host;
    bool idle = sample->domain == SIM_NOBODY;
    bool foreign = sample->marks & XENOPROF_MARK_FOREIGN;
    struct sim_program *program = idle ? &host->idle
                                       : &host->domains[sample->domain].program;
    struct sim_chain *chain = &program->chains[sample->chain];
    struct xenoprof_stored stored = {
        .time = sample->time / SIM_TIME_UNIT * SIM_TIME_UNIT,
        .period = sample->period,
        .marks = sample->marks,
        .domain = idle ? XENOPROF_NOBODY : host->domains[sample->domain].number,
        .vcpu = sample->vcpu,
        .pcpu = sample->pcpu,
        .mode = sim_leaf_mode(chain),
        .weight = sample->weight,
    };

    if ( idle )
        say_idle(recorder);
    else
        sim_store_domain(recorder, sample->domain);
    if ( !foreign )
        find_places(recorder, stored.domain, chain);
    sim_recorder_check(recorder, xenoprof_writer_sample(
                                     recorder->writer, &stored, chain->places,
                                     foreign ? 0 : chain->depth));
    note_sample(recorder, sample, &stored, chain);
    recorder->rings->rings[sample->ring].read++;
    recorder->rings->rings[sample->ring].reported = false;
}
