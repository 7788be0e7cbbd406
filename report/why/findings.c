/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "findings.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/labels.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum lock_role role;
} lock_functions[] = {
#define SPIN(name)      {#name, ROLE_SPIN},
#define TAKE(name)      {#name, ROLE_TAKE},
#define INTERRUPT(name) {#name, ROLE_INTERRUPT},
#define XEN(name)
#include "locks.def"
#undef SPIN
#undef TAKE
#undef INTERRUPT
#undef XEN
};

static const char *const locks_of_xen[] = {
#define SPIN(name)
#define TAKE(name)
#define INTERRUPT(name)
#define XEN(name) #name,
#include "locks.def"
#undef SPIN
#undef TAKE
#undef INTERRUPT
#undef XEN
};

#define LOCK_FUNCTIONS (sizeof(lock_functions) / sizeof(lock_functions[0]))

/* What a guest's function had of a finding. */
struct caller {
    struct {
        uint32_t domain;
        uint32_t reason;
        uint32_t frame;
        uint32_t zero;
    } key;
    uint64_t time;
};

struct finder {
    struct findings *findings;
    const struct loaded *loaded;
    const struct stacks *stacks;
    const uint8_t *roles; /* by frame */
};

enum lock_role lock_role(const char *symbol)
{
    /* A compiler adds what it made of a function behind a '.'. */
    size_t length = strcspn(symbol, ".");

    for ( size_t i = 0; i < LOCK_FUNCTIONS; i++ )
    {
        const char *name = lock_functions[i].name;
        bool whole = lock_functions[i].role == ROLE_SPIN;

        if ( whole ? length == strlen(name) && !strncmp(symbol, name, length)
                   : !strncmp(symbol, name, strlen(name)) )
            return lock_functions[i].role;
    }
    return ROLE_NONE;
}

bool is_lock_of_xen(const char *symbol)
{
    const char *name = label_short_symbol(symbol);

    for ( size_t i = 0; i < sizeof(locks_of_xen) / sizeof(locks_of_xen[0]);
          i++ )
        if ( !strncmp(name, locks_of_xen[i], strlen(locks_of_xen[i])) )
            return true;
    return false;
}

enum lock_role lock_role_of(const struct loaded *loaded,
                            const struct frame *frame)
{
    const char *symbol = names_text(&loaded->names, frame->key.symbol);

    return frame->key.kind == FRAME_CODE &&
                   frame->key.mode == XENOPROF_MODE_KERNEL && symbol
               ? lock_role(symbol)
               : ROLE_NONE;
}

static uint8_t *find_roles(const struct loaded *loaded,
                           const struct stacks *stacks)
{
    uint8_t *roles = must(calloc(stacks->frames.count + 1, sizeof(*roles)));

    for ( size_t i = 0; i < stacks->frames.count; i++ )
        roles[i] = (uint8_t)lock_role_of(loaded,
                                         stacks_frame(stacks, (uint32_t)i));
    return roles;
}

/* A function of the guest's, with a name, that is not about locks. */
static bool is_spin_caller(const struct finder *finder, uint32_t number)
{
    const struct frame *frame = stacks_frame(finder->stacks, number);

    return finder->roles[number] == ROLE_NONE &&
           frame->key.kind == FRAME_CODE && frame->key.symbol &&
           frame->key.mode != XENOPROF_MODE_XEN;
}

/* The innermost one of the first so many frames. */
static uint32_t caller_among(const struct finder *finder,
                             const uint32_t *frames, uint32_t count)
{
    for ( uint32_t i = count; i-- > 0; )
        if ( is_spin_caller(finder, frames[i]) )
            return frames[i];
    return FRAME_NONE;
}

static void add_caller(struct finder *finder, const struct why_finding *to,
                       const struct cell *cell, uint32_t frame)
{
    struct caller key, *caller;

    memset(&key, 0, sizeof(key));
    key.key.domain = to->key.domain;
    key.key.reason = to->key.reason;
    key.key.frame = frame;
    caller = must(table_put(&finder->findings->callers, &key));
    caller->time += cell->time;
}

static void add_to(struct finder *finder, const struct cell *cell,
                   enum xen_reason reason, uint32_t caller)
{
    struct why_finding key, *finding;

    memset(&key, 0, sizeof(key));
    key.key.domain = cell->key.domain;
    key.key.reason = reason;
    finding = must(table_put(&finder->findings->all, &key));
    amount_add(&finding->amount, cell_amount(cell));
    if ( caller != FRAME_NONE )
        add_caller(finder, finding, cell, caller);
}

bool findings_of_guest(const struct loaded *loaded, uint32_t domain)
{
    const uint32_t number = loaded_domain(loaded, domain)->key.number;

    return number && number != DOMAIN_NUMBER_IDLE;
}

static bool is_avoidable(const struct finder *finder, const struct cell *cell,
                         enum xen_reason reason)
{
    return findings_of_guest(finder->loaded, cell->key.domain) &&
           reason_is_avoidable(reason);
}

/* Which chains spin: what interrupts one that spins does not.  Parents come
 * before their children. */
static bool *find_spinning(const struct finder *finder)
{
    const struct stacks *stacks = finder->stacks;
    bool *spins = must(calloc(stacks->chains.count + 1, sizeof(*spins)));

    for ( uint32_t i = CHAIN_EMPTY + 1; i < stacks->chains.count; i++ )
    {
        const struct chain *chain = stacks_chain(stacks, i);
        const uint8_t role = finder->roles[chain->key.frame];

        spins[i] = role == ROLE_SPIN ||
                   (role != ROLE_INTERRUPT && spins[chain->key.parent]);
    }
    return spins;
}

/* Who called the one that spins, of a chain that does. */
static uint32_t caller_of_spin(const struct finder *finder,
                               const struct chain *chain)
{
    const uint32_t *frames = chain_frames(finder->stacks, chain);
    uint32_t spin = chain->count - 1;

    while ( spin && finder->roles[frames[spin]] != ROLE_SPIN )
        spin--;
    return caller_among(finder, frames, spin);
}

static void add_finder_cell(struct finder *finder, const bool *spins,
                            const struct cell *cell)
{
    const struct chain *chain = stacks_chain(finder->stacks, cell->chain);
    enum xen_reason reason;

    if ( spins[cell->chain] )
    {
        add_to(finder, cell, REASON_none, caller_of_spin(finder, chain));
        return;
    }
    if ( cell->key.mode != XENOPROF_MODE_XEN )
        return;
    reason = reason_of_cell(finder->loaded, finder->findings->reasons, cell);
    if ( is_avoidable(finder, cell, reason) )
        add_to(finder, cell, reason,
               caller_among(finder, chain_frames(finder->stacks, chain),
                            chain->count));
}

static void name_callers(struct findings *findings)
{
    for ( size_t i = 0; i < findings->all.count; i++ )
        ((struct why_finding *)table_at(&findings->all, i))->caller =
            FRAME_NONE;
    for ( size_t i = 0; i < findings->callers.count; i++ )
    {
        const struct caller *caller = table_at(&findings->callers, i);
        const uint32_t key[2] = {caller->key.domain, caller->key.reason};
        struct why_finding *finding = table_find(&findings->all, key);

        if ( caller->time <= finding->caller_time )
            continue;
        finding->caller = caller->key.frame;
        finding->caller_time = caller->time;
    }
}

/* Of what a guest makes Xen do, its largest says enough. */
static bool is_reported(const struct findings *findings,
                        const struct why_finding *finding)
{
    for ( size_t i = 0; i < findings->count; i++ )
        if ( findings->found[i] == finding ||
             (findings->found[i]->key.domain == finding->key.domain &&
              findings->found[i]->key.reason && finding->key.reason) )
            return true;
    return false;
}

/* The largest that is not said yet; NULL: none. */
static const struct why_finding *next_largest(const struct findings *findings)
{
    double least = FINDING_LEAST / 100 * (double)findings->time_all;
    const struct why_finding *best = NULL;

    for ( size_t i = 0; i < findings->all.count; i++ )
    {
        const struct why_finding *finding = table_at(&findings->all, i);

        if ( (double)finding->amount.time >= least && finding->amount.time &&
             (!best || finding->amount.time > best->amount.time) &&
             !is_reported(findings, finding) )
            best = finding;
    }
    return best;
}

static void choose_findings(struct findings *findings)
{
    const struct why_finding *finding;

    while ( findings->count < FINDINGS_MOST &&
            (finding = next_largest(findings)) )
        findings->found[findings->count++] = finding;
}

void findings_build(struct findings *findings, const struct loaded *loaded,
                    const struct stacks *stacks)
{
    uint8_t *roles SCOPE_FREE = find_roles(loaded, stacks);
    struct finder finder = {findings, loaded, stacks, roles};
    bool *spins SCOPE_FREE = find_spinning(&finder);

    *findings = (struct findings){.reasons = reasons_find(loaded, stacks)};
    table_init(&findings->all, sizeof(((struct why_finding *)0)->key),
               sizeof(struct why_finding));
    table_init(&findings->callers, sizeof(((struct caller *)0)->key),
               sizeof(struct caller));
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        findings->time_all += cell->time;
        if ( !cell->dropped && !cell_placeless(cell) )
            add_finder_cell(&finder, spins, cell);
    }
    name_callers(findings);
    choose_findings(findings);
}

void findings_free(struct findings *findings)
{
    table_free(&findings->all);
    table_free(&findings->callers);
    free(findings->reasons);
}
