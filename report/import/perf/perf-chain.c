/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf's chain has marks that say whose the addresses behind them are.  What a
 * process called is in it, if there are frame pointers; else in the branches
 * that the processor noted (--call-graph=lbr), or in a copy of its stack
 * (--call-graph=dwarf).
 */
#include "perf-chain.h"

#define BRANCH_CALL_STACK (1u << 11) /* PERF_SAMPLE_BRANCH_CALL_STACK */
#define BRANCH_WORDS      3u         /* from, to, flags */
#define CONTEXT_LOWEST    ((uint64_t)-4095)

/* What a chain is made of, and where. */
struct chain_work {
    const struct perf_chains *chains;
    const struct perf_space *space;
    struct perf_chain *chain;
    struct perf_owner owner;
    bool exact;  /* the next address is one that was interrupted */
    size_t user; /* frames of the process so far */
};

struct perf_owner perf_owner_of(uint16_t misc)
{
    static const struct perf_owner owners[PERF_MISC_MODE + 1] = {
        [0] = {XENOPROF_MODE_USER, false}, /* not known */
        [PERF_RECORD_MISC_KERNEL] = {XENOPROF_MODE_KERNEL, false},
        [PERF_RECORD_MISC_USER] = {XENOPROF_MODE_USER, false},
        [PERF_RECORD_MISC_HYPERVISOR] = {XENOPROF_MODE_XEN, false},
        [PERF_RECORD_MISC_GUEST_KERNEL] = {XENOPROF_MODE_KERNEL, true},
        [PERF_RECORD_MISC_GUEST_USER] = {XENOPROF_MODE_USER, true},
    };

    return owners[misc & PERF_MISC_MODE];
}

/* Returns false if it is not a context, or one of which nothing is known. */
static bool context_owner(uint64_t context, struct perf_owner *ret)
{
    static const struct {
        uint64_t context;
        struct perf_owner owner;
    } contexts[] = {
        {(uint64_t)PERF_CONTEXT_HV, {XENOPROF_MODE_XEN, false}},
        {(uint64_t)PERF_CONTEXT_KERNEL, {XENOPROF_MODE_KERNEL, false}},
        {(uint64_t)PERF_CONTEXT_USER, {XENOPROF_MODE_USER, false}},
        {(uint64_t)PERF_CONTEXT_GUEST_KERNEL, {XENOPROF_MODE_KERNEL, true}},
        {(uint64_t)PERF_CONTEXT_GUEST_USER, {XENOPROF_MODE_USER, true}},
        {(uint64_t)PERF_CONTEXT_GUEST, {XENOPROF_MODE_KERNEL, true}},
    };

    for ( size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++ )
        if ( contexts[i].context == context )
        {
            *ret = contexts[i].owner;
            return true;
        }
    return false;
}

static uint64_t word_at(const struct cursor *words, size_t index)
{
    uint64_t word;

    memcpy(&word, words->at + index * sizeof(word), sizeof(word));
    return word;
}

static size_t words_of(const struct cursor *words)
{
    return cursor_left(words) / sizeof(uint64_t);
}

/* Of a caller what counts is the call: what it returns to may be another
 * function's. */
static void add_address(struct chain_work *work, uint64_t address)
{
    const struct perf_where where = {
        .space = work->owner.guest || work->owner.mode != XENOPROF_MODE_USER
                     ? NULL
                     : work->space,
        .domain = work->owner.guest ? work->chains->guest : work->chains->host,
        .mode = work->owner.mode,
        .guest = work->owner.guest,
    };

    if ( work->chain->count == PERF_CHAIN_MAX )
        return;
    work->user += work->owner.mode == XENOPROF_MODE_USER;
    work->chain->places[work->chain->count++] = perf_place(
        work->chains->places, &where, address - !work->exact);
    work->exact = false;
}

static void add_callchain(struct chain_work *work, const struct cursor *chain)
{
    for ( size_t i = 0; i < words_of(chain); i++ )
    {
        const uint64_t address = word_at(chain, i);

        if ( address < CONTEXT_LOWEST )
            add_address(work, address);
        else if ( context_owner(address, &work->owner) )
            work->exact = true;
    }
}

/* The processor noted each call that has not returned: from where it was is
 * exact. */
static void add_branches(struct chain_work *work, const struct cursor *branch)
{
    for ( size_t i = 0; i < words_of(branch) / BRANCH_WORDS; i++ )
    {
        work->exact = true;
        add_address(work, word_at(branch, i * BRANCH_WORDS));
    }
}

static void add_stack(struct chain_work *work,
                      const struct perf_data_sample *sample)
{
    struct user_chain chain;

    if ( !perf_unwind(work->chains->unwinder, work->space, sample, &chain) )
        return;
    /* The leaf may be there already. */
    for ( uint32_t i = work->user ? 1 : 0; i < chain.count; i++ )
    {
        work->exact = chain.exact[i];
        add_address(work, chain.frames[i]);
    }
    work->chain->truncated = chain.end != USER_ROOT;
}

/* What of the process is not in the chain. */
static void add_process(struct chain_work *work,
                        const struct perf_data_sample *sample)
{
    const struct perf_event_attr *attr = &sample->event->attr;

    if ( work->user > 1 || work->owner.guest )
        return;
    work->owner = (struct perf_owner){XENOPROF_MODE_USER, false};
    if ( attr->branch_sample_type & BRANCH_CALL_STACK )
        add_branches(work, &sample->branch);
    else if ( sample->has_registers && cursor_left(&sample->stack) )
        add_stack(work, sample);
}

void perf_chain_make(const struct perf_chains *chains,
                     const struct perf_data_sample *sample, uint16_t misc,
                     const struct perf_space *space, struct perf_chain *ret)
{
    struct chain_work work = {.chains = chains,
                              .space = space,
                              .chain = ret,
                              .owner = perf_owner_of(misc),
                              .exact = true};

    ret->count = 0;
    ret->truncated = false;
    add_callchain(&work, &sample->chain);
    if ( !ret->count )
    {
        work.owner = perf_owner_of(misc);
        work.exact = true;
        add_address(&work, sample->ip);
    }
    add_process(&work, sample);
}
