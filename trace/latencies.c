/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long vCPUs waited for a pCPU each time. */
#include "latencies.h"

/* A host has fewer at a time; guests that start again make more of them, in
 * days. */
#define VCPUS_MAX 65536u
#define SUMS_MAX  65536u

struct latent_vcpu {
    struct traced_key key;
    uint16_t by;
    uint8_t why;
    bool timed; /* it waits, since began */
    uint64_t began;
};

void latencies_init(struct latencies *latencies)
{
    *latencies = (struct latencies){0};
    table_init(&latencies->vcpus, sizeof(struct traced_key),
               sizeof(struct latent_vcpu));
    table_init(&latencies->sums, sizeof(struct latency_key),
               sizeof(struct latency_sum));
}

void latencies_free(struct latencies *latencies)
{
    table_free(&latencies->vcpus);
    table_free(&latencies->sums);
}

static uint8_t bucket_of_latency(uint64_t ns)
{
    uint64_t us = ns / 1000;
    unsigned int bits = us ? 64 - (unsigned int)__builtin_clzll(us) : 0;

    return (uint8_t)(bits < XENOPROF_LATENCY_BUCKETS
                         ? bits
                         : XENOPROF_LATENCY_BUCKETS - 1);
}

static bool add_latent_wait(struct latencies *latencies,
                            const struct latent_vcpu *vcpu, uint16_t by,
                            uint64_t time)
{
    uint64_t ns = time > vcpu->began ? time - vcpu->began : 0;
    const struct latency_key key = {vcpu->key, by, vcpu->why,
                                    bucket_of_latency(ns)};
    struct latency_sum *sum = table_find(&latencies->sums, &key);

    if ( !sum && latencies->sums.count >= SUMS_MAX )
    {
        latencies->left_out++;
        return true;
    }
    if ( !sum )
        sum = table_put(&latencies->sums, &key);
    if ( !sum )
        return false;
    sum->count++;
    sum->sum += ns;
    if ( ns > sum->longest )
        sum->longest = ns;
    return true;
}

/* Whoever was preempted there knows by whom. */
static void note_taker(struct latencies *latencies, const struct turn *turn,
                       uint16_t domain)
{
    struct latent_vcpu *vcpu = turn->preempts ? table_find(&latencies->vcpus,
                                                           &turn->before)
                                              : NULL;

    if ( vcpu && vcpu->timed && vcpu->why == XENOPROF_PREEMPTED )
        vcpu->by = domain;
}

static uint16_t waited_for(const struct latent_vcpu *vcpu,
                           const struct turn *turn)
{
    if ( vcpu->why == XENOPROF_PREEMPTED )
        return vcpu->by;
    return turn->before_known ? turn->before.domain : XENOPROF_NOBODY;
}

bool latencies_take(struct latencies *latencies,
                    const struct traced_change *change, const struct turn *turn,
                    uint64_t time)
{
    struct latent_vcpu *vcpu;
    bool done = true;

    if ( change->new == RUNSTATE_RUNS )
        note_taker(latencies, turn, change->who.domain);
    /* The idle vCPU waits whenever another one runs. */
    if ( change->who.domain == XENOPROF_NOBODY )
        return true;
    vcpu = table_find(&latencies->vcpus, &change->who);
    /* Those that live are there again soon. */
    if ( !vcpu && latencies->vcpus.count >= VCPUS_MAX )
        table_free(&latencies->vcpus);
    if ( !vcpu )
        vcpu = table_put(&latencies->vcpus, &change->who);
    if ( !vcpu )
        return false;
    if ( vcpu->timed && change->old == RUNSTATE_WAITS &&
         change->new == RUNSTATE_RUNS )
        done = add_latent_wait(latencies, vcpu, waited_for(vcpu, turn), time);
    vcpu->timed = change->new == RUNSTATE_WAITS;
    vcpu->why = change->old == RUNSTATE_RUNS ? XENOPROF_PREEMPTED
                                             : XENOPROF_WOKEN;
    vcpu->by = XENOPROF_NOBODY;
    vcpu->began = time;
    return done;
}

void latencies_forget(struct latencies *latencies)
{
    for ( size_t i = 0; i < latencies->vcpus.count; i++ )
        ((struct latent_vcpu *)table_at(&latencies->vcpus, i))->timed = false;
}

static bool has_latencies(const void *sum, const void *argument)
{
    (void)argument;
    return ((const struct latency_sum *)sum)->count;
}

void latencies_reported(struct latencies *latencies)
{
    /* Without memory they stay until the next time. */
    table_keep(&latencies->sums, has_latencies, NULL);
}
