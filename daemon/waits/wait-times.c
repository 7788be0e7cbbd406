/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each vCPU did since its last row in the session. */
#include <string.h>

#include "wait-times.h"

/* vCPUs that had no record for so long are gone, and forgotten when there are
 * many. */
#define FORGET_AFTER WAIT_TIMES_REST
#define SWEEP_FROM   1024u

/* Why a vCPU is offline. */
enum offline { OFFLINE_PAUSED, OFFLINE_DEVICE, OFFLINE_CAPPED };

static enum offline why_offline(const struct xenoprof_wait *wait)
{
    if ( wait->reasons & XENOPROF_WAIT_DEVICE )
        return OFFLINE_DEVICE;
    return wait->reasons & XENOPROF_WAIT_CAPPED ? OFFLINE_CAPPED
                                                : OFFLINE_PAUSED;
}

struct vcpu_key {
    uint8_t uuid[16];
    uint16_t domain, vcpu;
    uint32_t unused;
};

struct wait_of_vcpu {
    struct vcpu_key key;
    struct xenoprof_wait reported; /* what its last row leads to */
    struct xenoprof_wait seen;     /* the newest */
    enum offline offline;          /* when it was seen offline last */
};

void wait_times_init(struct wait_times *times)
{
    *times = (struct wait_times){.kept = SWEEP_FROM};
    table_init(&times->vcpus, sizeof(struct vcpu_key),
               sizeof(struct wait_of_vcpu));
}

void wait_times_free(struct wait_times *times)
{
    table_free(&times->vcpus);
}

/* Rounded as sums, so that nothing is lost by it in the long run. */
static uint64_t since_reported(const struct wait_of_vcpu *vcpu,
                               unsigned int state)
{
    return (vcpu->seen.times[state] / XENOPROF_WAIT_UNIT -
            vcpu->reported.times[state] / XENOPROF_WAIT_UNIT) *
           XENOPROF_WAIT_UNIT;
}

/* A session knows a domain before its times. */
static enum xenoprof_status store_domain_of_wait(
    struct domain_names *names, struct xenoprof_writer *writer,
    const struct xenoprof_wait *wait)
{
    enum xenoprof_status status;

    domain_names_next_ring(names);
    status = domain_names_store(names, writer, wait->time, wait->domain,
                                wait->uuid);
    domain_names_next_ring(names);
    return status;
}

static enum xenoprof_status store_times(struct wait_of_vcpu *vcpu,
                                        struct domain_names *names,
                                        struct xenoprof_writer *writer)
{
    const struct xenoprof_wait *seen = &vcpu->seen;
    uint64_t offline = since_reported(vcpu, XENOPROF_OFFLINE);
    struct xenoprof_waited waited = {
        .domain = seen->domain,
        .vcpu = seen->vcpu,
        .running = since_reported(vcpu, XENOPROF_RUNNING),
        .runnable = since_reported(vcpu, XENOPROF_RUNNABLE),
        .device = vcpu->offline == OFFLINE_DEVICE ? offline : 0,
        .capped = vcpu->offline == OFFLINE_CAPPED ? offline : 0,
        .paused = vcpu->offline == OFFLINE_PAUSED ? offline : 0,
    };
    enum xenoprof_status status = store_domain_of_wait(names, writer, seen);

    waited.span = waited.running + waited.runnable + offline +
                  since_reported(vcpu, XENOPROF_BLOCKED);
    if ( !status && waited.span )
        status = xenoprof_writer_wait(writer, seen->time, &waited);
    if ( !status )
        vcpu->reported = *seen;
    return status;
}

/* Rings of several pCPUs are read one after the other: an old record has
 * nothing to say that a newer one has not said. */
static bool is_newer(const struct wait_of_vcpu *vcpu,
                     const struct xenoprof_wait *wait)
{
    return wait->time > vcpu->seen.time;
}

/* What it did since it was last seen, by Xen's clock where it was looked at,
 * may end a little earlier by the clock of the pCPU where it went on: this time
 * is said then when it did as much once more.  No other record is held up by
 * that: a vCPU that is never blocked again had no account any more. */
static void see(struct wait_of_vcpu *vcpu, const struct xenoprof_wait *wait)
{
    const struct xenoprof_wait before = vcpu->seen;

    vcpu->seen = *wait;
    for ( unsigned int i = 0; i < XENOPROF_RUNSTATES; i++ )
        if ( vcpu->seen.times[i] < before.times[i] )
            vcpu->seen.times[i] = before.times[i];
}

/* It does what it did at its last row, and nothing. */
static bool rests(const struct wait_of_vcpu *vcpu,
                  const struct xenoprof_wait *wait)
{
    return wait->state == vcpu->reported.state &&
           wait->since == vcpu->reported.since &&
           wait->reasons == vcpu->reported.reasons &&
           (wait->state == XENOPROF_BLOCKED ||
            wait->state == XENOPROF_OFFLINE) &&
           wait->time - vcpu->reported.time < WAIT_TIMES_REST;
}

static bool was_seen_lately(const void *entry, const void *argument)
{
    const struct wait_of_vcpu *vcpu = entry;
    const struct wait_times *times = argument;

    return vcpu->seen.time + FORGET_AFTER >= times->newest;
}

static struct wait_of_vcpu *find_waiting_vcpu(struct wait_times *times,
                                              const struct xenoprof_wait *wait)
{
    struct vcpu_key key = {.domain = wait->domain, .vcpu = wait->vcpu};
    size_t left;

    memcpy(key.uuid, wait->uuid, sizeof(key.uuid));
    if ( wait->time > times->newest )
        times->newest = wait->time;
    /* Domains come and go, however many; those that are there stay in memory.
     * Without memory for that nothing is forgotten. */
    if ( times->vcpus.count >= 2 * times->kept )
    {
        if ( !table_keep(&times->vcpus, was_seen_lately, times) )
            return NULL;
        left = times->vcpus.count;
        times->kept = left > SWEEP_FROM ? left : SWEEP_FROM;
    }
    return table_put(&times->vcpus, &key);
}

/* While its domain is capped a vCPU is offline, and would run. */
static void add_to_dom0(struct wait_times *times,
                        const struct wait_of_vcpu *vcpu,
                        const struct xenoprof_wait *from)
{
    const struct xenoprof_wait *to = &vcpu->seen;

    if ( to->domain != 0 )
        return;
    times->dom0_ran += to->times[XENOPROF_RUNNING] -
                       from->times[XENOPROF_RUNNING];
    times->dom0_waited += to->times[XENOPROF_RUNNABLE] -
                          from->times[XENOPROF_RUNNABLE];
    if ( vcpu->offline == OFFLINE_CAPPED )
        times->dom0_waited += to->times[XENOPROF_OFFLINE] -
                              from->times[XENOPROF_OFFLINE];
}

uint64_t wait_times_on_pcpus(const struct wait_times *times, uint64_t counted)
{
    uint64_t all = times->dom0_ran + times->dom0_waited;

    return all ? (uint64_t)((unsigned __int128)counted * times->dom0_ran / all)
               : counted;
}

enum xenoprof_status wait_times_take(struct wait_times *times,
                                     struct domain_names *names,
                                     struct xenoprof_writer *writer,
                                     const struct xenoprof_wait *wait)
{
    struct wait_of_vcpu *vcpu = find_waiting_vcpu(times, wait);
    bool first = vcpu && !vcpu->seen.head.length;
    struct xenoprof_wait before;

    if ( !vcpu )
        return XENOPROF_NO_MEMORY;
    if ( !first && !is_newer(vcpu, wait) )
        return XENOPROF_OK;
    if ( wait->state == XENOPROF_OFFLINE )
        vcpu->offline = why_offline(wait);
    if ( first )
    {
        vcpu->seen = vcpu->reported = *wait;
        return XENOPROF_OK;
    }
    before = vcpu->seen;
    see(vcpu, wait);
    add_to_dom0(times, vcpu, &before);
    return rests(vcpu, wait) ? XENOPROF_OK : store_times(vcpu, names, writer);
}

enum xenoprof_status wait_times_finish(struct wait_times *times,
                                       struct domain_names *names,
                                       struct xenoprof_writer *writer)
{
    enum xenoprof_status status = XENOPROF_OK;

    for ( size_t i = 0; !status && i < times->vcpus.count; i++ )
    {
        struct wait_of_vcpu *vcpu = table_at(&times->vcpus, i);

        if ( vcpu->seen.time != vcpu->reported.time &&
             was_seen_lately(vcpu, times) )
            status = store_times(vcpu, names, writer);
    }
    return status;
}
