/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a session of which the truth is known: a host is simulated that runs
 * and waits, and is sampled and recorded as xenoprof does it.
 *
 *   make-truth SEED FOLDER
 *
 * FOLDER, which is made, then has session/, a session; truth, what each domain,
 * vCPU and function really did; and stored, the samples and Xen's accounts that
 * are in the session, as text.  The same seed gives the same bytes.
 *
 * Lines of truth; times are ns of Xen's clock, RANGE and DOMAIN count from 0:
 *
 *   scenario WORD...                 what this session is an example of
 *   range RANGE FROM TO              0 is all that Xen's accounts cover
 *   domain DOMAIN NUMBER other|profiled NAME
 *   vcpu RANGE DOMAIN VCPU NS        how long it ran
 *   function RANGE DOMAIN MODE SYMBOL NS   DOMAIN -1 is the idle vCPU
 *   nothing RANGE NS                 idle vCPUs without work
 *
 * Lines of stored:
 *
 *   sample TIME DOMAIN VCPU PCPU MODE SYMBOL WEIGHT PERIOD
 *   wait TIME DOMAIN VCPU SPAN RUNNING
 *   idle TIME PCPU NS
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim-recorder.h"
#include "sim-scheduler.h"

static FILE *open_text(const char *folder, const char *name)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "wx");
    if ( !file )
    {
        fprintf(stderr, "make-truth: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    return file;
}

static void close_text(FILE *file)
{
    if ( !fclose(file) )
        return;
    fprintf(stderr, "make-truth: a file cannot be written: %s\n",
            strerror(errno));
    exit(1);
}

static void run(struct sim_recorder *recorder)
{
    struct sim_host *host = recorder->host;

    for ( ;; )
    {
        struct sim_event event = sim_take(&host->events);

        if ( event.time >= host->scenario->end )
            break;
        host->now = event.time;
        switch ( event.kind )
        {
        case SIM_WAKE: sim_wake(host, event.what); break;
        case SIM_END: sim_end(host, &event); break;
        case SIM_BIRTH: sim_birth(host, event.what); break;
        case SIM_DEATH: sim_death(host, event.what); break;
        case SIM_TICK: sim_tick(host, recorder->rings, event.what); break;
        case SIM_ROUND: sim_waits_round(&recorder->waits, host, false); break;
        case SIM_READ: sim_recorder_read(recorder); break;
        }
    }
    host->now = host->scenario->end;
    sim_settle(host);
}

static void put_scenario(FILE *truth, const struct sim_scenario *scenario)
{
    const struct {
        bool is;
        const char *word;
    } words[] = {
        {scenario->capped, "capped"},
        {scenario->paused, "paused"},
        {scenario->hotplug, "hotplug"},
        {scenario->births, "births"},
        {scenario->others, "others"},
        {scenario->late, "late"},
        {!scenario->closed, "open"},
        {scenario->utc_steps, "utc-steps"},
        {scenario->phase != 0, "phases"},
        {scenario->slow_hz != 0, "slowed"},
        {scenario->file_bytes != 0, "files"},
    };

    fprintf(truth, "scenario loss=%s pcpus=%u hz=%u piece=%" PRIu64,
            sim_loss_name(scenario->loss), scenario->pcpus, scenario->hz,
            scenario->piece);
    for ( size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++ )
        if ( words[i].is )
            fprintf(truth, " %s", words[i].word);
    fprintf(truth, "\n");
    for ( unsigned int i = 0; i < SIM_RANGES; i++ )
        fprintf(truth, "range %u %" PRIu64 " %" PRIu64 "\n", i,
                scenario->ranges[i].from, scenario->ranges[i].to);
}

static void put_functions(FILE *truth, int domain,
                          const struct sim_program *program, unsigned int range)
{
    char name[SIM_NAME];

    for ( uint32_t i = 0; i < program->count; i++ )
    {
        const struct sim_chain *chain = &program->chains[i];

        if ( !chain->time[range] )
            continue;
        if ( !chain->depth )
        {
            fprintf(truth, "nothing %u %" PRIu64 "\n", range,
                    chain->time[range]);
            continue;
        }
        sim_frame_name(chain, chain->depth - 1u, name);
        fprintf(truth, "function %u %d %s %s %" PRIu64 "\n", range, domain,
                xenoprof_mode_name(sim_leaf_mode(chain)), name,
                chain->time[range]);
    }
}

static void put_truth(FILE *truth, const struct sim_host *host)
{
    put_scenario(truth, host->scenario);
    for ( uint32_t i = 0; i < host->domain_count; i++ )
        fprintf(truth, "domain %" PRIu32 " %u %s %s\n", i,
                host->domains[i].number,
                host->domains[i].foreign ? "other" : "profiled",
                host->domains[i].name);
    for ( unsigned int range = 0; range < SIM_RANGES; range++ )
    {
        for ( uint32_t i = 0; i < host->vcpu_count; i++ )
            fprintf(truth, "vcpu %u %" PRIu32 " %u %" PRIu64 "\n", range,
                    host->vcpus[i].domain, host->vcpus[i].number,
                    host->vcpus[i].time[range]);
        for ( uint32_t i = 0; i < host->domain_count; i++ )
            put_functions(truth, (int)i, &host->domains[i].program, range);
        put_functions(truth, -1, &host->idle, range);
    }
}

static void simulate(uint64_t seed, const char *folder)
{
    struct sim_draw draw = {seed * 0x2545f4914f6cdd1dull};
    struct sim_scenario scenario;
    struct sim_host host;
    struct sim_rings rings;
    struct sim_recorder recorder;
    FILE *stored = open_text(folder, "stored");
    FILE *truth = open_text(folder, "truth");
    char session[4096];

    snprintf(session, sizeof(session), "%s/session", folder);
    sim_scenario_draw(&scenario, &draw, seed);
    sim_host_make(&host, &scenario, &draw);
    sim_rings_make(&rings, &host);
    sim_recorder_open(&recorder, &host, &rings, session, stored);
    run(&recorder);
    sim_recorder_close(&recorder);
    put_truth(truth, &host);
    sim_rings_free(&rings);
    sim_host_free(&host);
    close_text(stored);
    close_text(truth);
}

int main(int argc, char **argv)
{
    char *end;
    uint64_t seed;

    if ( argc != 3 )
    {
        fprintf(stderr, "usage: make-truth SEED FOLDER\n");
        return 2;
    }
    seed = strtoull(argv[1], &end, 10);
    if ( end == argv[1] || *end )
    {
        fprintf(stderr, "make-truth: \"%s\" is not a number\n", argv[1]);
        return 2;
    }
    if ( mkdir(argv[2], 0700) )
    {
        fprintf(stderr, "make-truth: %s: %s\n", argv[2], strerror(errno));
        return 1;
    }
    simulate(seed, argv[2]);
    return 0;
}
