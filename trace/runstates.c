/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each vCPU did. */
#include <string.h>

#include "runstates.h"

/* A host has fewer at a time; guests that start again make more of them, in
 * days. */
#define VCPUS_MAX 65536u

void runstates_init(struct runstates *runstates)
{
    *runstates = (struct runstates){0};
    table_init(&runstates->vcpus, sizeof(struct traced_key),
               sizeof(struct traced_vcpu));
}

void runstates_free(struct runstates *runstates)
{
    table_free(&runstates->vcpus);
}

static struct traced_vcpu *get_traced_vcpu(struct runstates *runstates,
                                           uint16_t domain, uint16_t number)
{
    const struct traced_key key = {domain, number};
    struct traced_vcpu *vcpu = table_find(&runstates->vcpus, &key);

    if ( vcpu )
        return vcpu;
    /* Those that live have their next records soon. */
    if ( runstates->vcpus.count >= VCPUS_MAX )
        table_free(&runstates->vcpus);
    vcpu = table_put(&runstates->vcpus, &key);
    if ( vcpu )
        vcpu->state = RUNSTATE_UNKNOWN;
    return vcpu;
}

bool runstates_guess(struct runstates *runstates, uint16_t domain,
                     uint16_t number, enum runstate state, uint64_t time)
{
    const struct traced_key key = {domain, number};
    struct traced_vcpu *vcpu;

    if ( table_find(&runstates->vcpus, &key) )
        return true;
    vcpu = get_traced_vcpu(runstates, domain, number);
    if ( !vcpu )
        return false;
    vcpu->state = (uint8_t)state;
    vcpu->guessed = true;
    vcpu->since = time;
    return true;
}

static void add_until(struct traced_vcpu *vcpu, uint64_t time)
{
    if ( vcpu->state != RUNSTATE_UNKNOWN && time > vcpu->since )
        vcpu->times[vcpu->state] += time - vcpu->since;
    if ( time > vcpu->since )
        vcpu->since = time;
}

static bool change_state(struct runstates *runstates,
                         const struct traced_change *change, uint64_t time)
{
    struct traced_vcpu *vcpu = get_traced_vcpu(runstates, change->who.domain,
                                               change->who.vcpu);

    if ( !vcpu )
        return false;
    if ( vcpu->guessed || vcpu->state == change->old )
        add_until(vcpu, time);
    /* What was guessed may be wrong, and what was lost leaves a gap: the record
     * knows what was so until now. */
    if ( vcpu->guessed )
    {
        uint64_t guessed = vcpu->times[vcpu->state];

        vcpu->times[vcpu->state] = 0;
        vcpu->times[change->old] += guessed;
    }
    else if ( vcpu->state != change->old )
        runstates->missed += vcpu->state != RUNSTATE_UNKNOWN;
    vcpu->guessed = false;
    vcpu->state = (uint8_t)change->new;
    vcpu->since = time;
    return true;
}

bool runstates_take(struct runstates *runstates,
                    const struct trace_event *event, uint64_t time)
{
    struct traced_change change;

    if ( turns_change(event, &change) )
        return change_state(runstates, &change, time);
    if ( event->number != TRACE_LOST )
        return true;
    runstates->lost += event->words ? event->word[0] : 1;
    for ( size_t i = 0; i < runstates->vcpus.count; i++ )
    {
        struct traced_vcpu *vcpu = table_at(&runstates->vcpus, i);

        vcpu->state = RUNSTATE_UNKNOWN;
        vcpu->guessed = false;
    }
    return true;
}

void runstates_until(struct runstates *runstates, uint64_t time)
{
    for ( size_t i = 0; i < runstates->vcpus.count; i++ )
        add_until(table_at(&runstates->vcpus, i), time);
}

void runstates_begin_again(struct traced_vcpu *vcpu)
{
    memset(vcpu->times, 0, sizeof(vcpu->times));
}
