/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why guests left the processor, and for how long. */
#include <libxenoprof.h>

#include "exits.h"

/* A host has fewer vCPUs at a time; guests that start again make more of them,
 * in days.  A processor has fewer reasons. */
#define VCPUS_MAX 65536u
#define SUMS_MAX  65536u

/* Of VMX a reason is 16 bits; the others say what else was so. */
#define VMX_REASON_MASK 0xffffu

struct exited_vcpu {
    struct traced_key key;
    bool open; /* its entry is to come */
    bool runs;
    uint32_t code, kind;
    uint64_t began; /* ns */
    uint64_t ran;   /* ns, until since; from there it runs or not */
    uint64_t since;
};

void exits_init(struct exits *exits, bool svm)
{
    *exits = (struct exits){.svm = svm};
    table_init(&exits->vcpus, sizeof(struct traced_key),
               sizeof(struct exited_vcpu));
    table_init(&exits->sums, sizeof(struct exit_key), sizeof(struct exit_sum));
}

void exits_free(struct exits *exits)
{
    table_free(&exits->vcpus);
    table_free(&exits->sums);
}

static struct traced_key own(uint16_t pcpu)
{
    return (struct traced_key){EXITS_OF_PCPU, pcpu};
}

static struct exit_sum *sum_of_exit(struct exits *exits,
                                    const struct exit_key *key)
{
    struct exit_sum *sum = table_find(&exits->sums, key);

    return sum ?: table_put(&exits->sums, key);
}

static void add_exit_sum(struct exit_sum *to, const struct exit_sum *more)
{
    if ( !to->count || more->shortest < to->shortest )
        to->shortest = more->shortest;
    if ( more->longest > to->longest )
        to->longest = more->longest;
    to->count += more->count;
    to->in_xen += more->in_xen;
    to->away += more->away;
}

/* The guest goes on. */
static bool close_exit(struct exits *exits, struct exited_vcpu *vcpu,
                       uint64_t time)
{
    const struct exit_key key = {vcpu->key, vcpu->code, vcpu->kind};
    uint64_t all = time > vcpu->began ? time - vcpu->began : 0;
    uint64_t ran = vcpu->ran +
                   (vcpu->runs && time > vcpu->since ? time - vcpu->since : 0);
    const struct exit_sum one = {
        .count = 1,
        .in_xen = ran,
        .away = all > ran ? all - ran : 0,
        .shortest = ran,
        .longest = ran,
    };
    struct exit_sum *sum;

    vcpu->open = false;
    if ( exits->sums.count >= SUMS_MAX && !table_find(&exits->sums, &key) )
    {
        exits->left_out++;
        return true;
    }
    sum = sum_of_exit(exits, &key);
    if ( sum )
        add_exit_sum(sum, &one);
    return sum;
}

bool exits_owned(struct exits *exits, uint16_t pcpu, struct traced_key who)
{
    const struct traced_key key = own(pcpu);
    struct exited_vcpu *from = table_find(&exits->vcpus, &key), *to;
    struct exited_vcpu open;

    if ( !from )
        return true;
    for ( size_t i = 0; i < exits->sums.count; i++ )
    {
        struct exit_sum *sum = table_at(&exits->sums, i), taken = *sum;
        struct exit_sum *added;

        if ( !taken.count || !traced_same(taken.key.who, key) )
            continue;
        *sum = (struct exit_sum){.key = taken.key};
        taken.key.who = who;
        added = sum_of_exit(exits, &taken.key);
        if ( !added )
            return false;
        add_exit_sum(added, &taken);
    }
    open = *from;
    from->open = false;
    if ( !open.open )
        return true;
    to = table_put(&exits->vcpus, &who);
    if ( !to )
        return false;
    open.key = who;
    *to = open;
    return true;
}

bool exits_change(struct exits *exits, const struct traced_change *change,
                  const struct turn *turn, uint16_t pcpu, uint64_t time)
{
    struct exited_vcpu *vcpu;

    if ( change->old == RUNSTATE_RUNS && !turn->now_known &&
         !exits_owned(exits, pcpu, change->who) )
        return false;
    /* What an exit's vCPU does until it goes on. */
    vcpu = table_find(&exits->vcpus, &change->who);
    if ( !vcpu || !vcpu->open )
        return true;
    if ( vcpu->runs && time > vcpu->since )
        vcpu->ran += time - vcpu->since;
    vcpu->runs = change->new == RUNSTATE_RUNS;
    vcpu->since = time;
    return true;
}

static bool open_exit(struct exits *exits, struct traced_key who, uint32_t kind,
                      uint32_t code, uint64_t time)
{
    struct exited_vcpu *vcpu = table_find(&exits->vcpus, &who);

    if ( !vcpu && exits->vcpus.count >= VCPUS_MAX )
    {
        exits_forget(exits);
        table_free(&exits->vcpus);
    }
    if ( !vcpu )
        vcpu = table_put(&exits->vcpus, &who);
    if ( !vcpu )
        return false;
    exits->unpaired += vcpu->open;
    vcpu->open = vcpu->runs = true;
    vcpu->kind = kind;
    vcpu->code = code;
    vcpu->began = vcpu->since = time;
    vcpu->ran = 0;
    return true;
}

bool exits_take(struct exits *exits, const struct trace_event *event,
                const struct turn *turn, uint64_t time)
{
    uint32_t number = event->number & ~TRACE_EXIT_FLAGS;
    struct traced_key who = turn->now_known ? turn->now : own(event->pcpu);
    struct exited_vcpu *vcpu;

    if ( number == TRACE_ENTRY )
    {
        vcpu = table_find(&exits->vcpus, &who);
        return !vcpu || !vcpu->open || close_exit(exits, vcpu, time);
    }
    if ( (number != TRACE_EXIT && number != TRACE_EXIT_SVM) || !event->words )
        return true;
    if ( number == TRACE_EXIT_SVM || exits->svm )
        return open_exit(exits, who, XENOPROF_ENTRY_SVM, event->word[0], time);
    return open_exit(exits, who, XENOPROF_ENTRY_VMX,
                     event->word[0] & VMX_REASON_MASK, time);
}

void exits_forget(struct exits *exits)
{
    for ( size_t i = 0; i < exits->vcpus.count; i++ )
    {
        struct exited_vcpu *vcpu = table_at(&exits->vcpus, i);

        exits->unpaired += vcpu->open;
        vcpu->open = false;
    }
}

static bool has_exits(const void *sum, const void *argument)
{
    (void)argument;
    return ((const struct exit_sum *)sum)->count;
}

void exits_reported(struct exits *exits)
{
    /* Without memory they stay until the next time. */
    table_keep(&exits->sums, has_exits, NULL);
}
