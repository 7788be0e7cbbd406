/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts symbols, code and types together. */
#include "task-facts.h"

#include <string.h>

#define NONE          UINT64_MAX
#define PERCPU_CANARY 40u /* Linux's gs:40, before 6.15 */
#define PERCPU_MAX    (64ull << 20)
#define IMAGE_MAX     (1ull << 30)

/* Loads that say something. */
#define ENOUGH 16u
/* What comes next is so many times rarer, where code alone is asked. */
#define CLEARLY 4u

/* What code may say of a value that a symbol has, or has not. */
struct evidence {
    const struct load_counts *counts;
    const uint64_t *without;
    size_t number;
};

/* Returns which sources say it, 0 if they contradict each other or none says
 * anything.  *value is the symbol's, if it is known, and is set else. */
static uint32_t weigh(const struct evidence *evidence, bool known,
                      uint64_t *value)
{
    struct load_count top = load_counts_top(evidence->counts, evidence->without,
                                            evidence->number);
    struct load_count next;
    uint64_t without[4] = {0};

    if ( known && top.count < ENOUGH )
        return TASK_BY_SYMBOL;
    if ( known )
        return load_counts_of(evidence->counts, *value) * CLEARLY >= top.count
                   ? TASK_BY_SYMBOL | TASK_BY_CODE
                   : 0;
    for ( size_t i = 0; i < evidence->number; i++ )
        without[i] = evidence->without[i];
    without[evidence->number] = top.value;
    next = load_counts_top(evidence->counts, without, evidence->number + 1);
    *value = top.value;
    return top.count >= ENOUGH && next.count * CLEARLY <= top.count
               ? TASK_BY_CODE
               : 0;
}

/* Where a per-CPU symbol is for code that adds it to the base of gs. */
static uint64_t as_code_has_it(const struct task_symbol *symbol, uint64_t base)
{
    return symbol->absolute ? symbol->at : base + symbol->at;
}

static uint32_t find_current(const struct task_symbols *symbols,
                             const struct kernel_layout *layout,
                             const struct code_loads *loads, uint64_t base,
                             struct task_facts *ret)
{
    struct task_symbol word = symbols->current;
    const uint64_t canaries[] = {PERCPU_CANARY,
                                 as_code_has_it(&symbols->canary, base)};
    const struct evidence evidence = {&loads->gs, canaries,
                                      symbols->canary.known ? 2 : 1};
    uint32_t by;

    if ( symbols->hot.known && (layout->known & FOR_HOT) )
    {
        word = symbols->hot;
        word.at += layout->at[MEMBER_HOT_TASK];
    }
    ret->current = as_code_has_it(&word, base);
    by = weigh(&evidence, word.known, &ret->current);
    ret->absolute = word.known ? word.absolute : ret->current < PERCPU_MAX;
    if ( !ret->absolute )
        ret->current -= base;
    return by;
}

static uint32_t find_offsets(const struct task_symbols *symbols,
                             const struct code_loads *loads, uint64_t base,
                             struct task_facts *ret)
{
    const struct evidence evidence = {&loads->table, NULL, 0};
    uint32_t by;

    ret->offsets = base + symbols->offsets.at;
    by = weigh(&evidence, symbols->offsets.known && !symbols->offsets.absolute,
               &ret->offsets);
    ret->offsets -= base;
    return by;
}

static enum task_list_status judge(const struct task_symbols *symbols,
                                   const struct kernel_layout *layout,
                                   const struct task_facts *facts)
{
    bool current = symbols->hot.known || symbols->current.known;

    if ( !(layout->known & FOR_TASKS) )
        return TASK_LIST_NO_MEMBERS;
    if ( facts->current_by && facts->offsets_by )
        return task_facts_are_sound(facts) ? TASK_LIST_KNOWN
                                           : TASK_LIST_CONTRADICTION;
    return (facts->current_by || current) &&
                   (facts->offsets_by || symbols->offsets.known)
               ? TASK_LIST_CONTRADICTION
               : TASK_LIST_NO_SYMBOLS;
}

/* Numbers of no use would make equal kernels differ. */
static void drop_facts(struct task_facts *facts, enum task_list_status status)
{
    memset(facts, 0, sizeof(*facts));
    facts->status = status;
}

void task_facts_make(const struct task_symbols *symbols,
                     const struct kernel_layout *layout,
                     const struct code_loads *loads, uint64_t base,
                     struct task_facts *ret)
{
    static const struct code_loads silent;
    enum task_list_status status;

    drop_facts(ret, TASK_LIST_NO_TYPES);
    if ( !layout )
        return;
    loads = loads ? loads : &silent;
    ret->current_by = find_current(symbols, layout, loads, base, ret);
    ret->offsets_by = find_offsets(symbols, loads, base, ret);
    ret->vcpu_id = symbols->vcpu_id.known &&
                           symbols->vcpu_id.absolute == ret->absolute
                       ? symbols->vcpu_id.at
                       : NONE;
    ret->features = symbols->processor.known && !symbols->processor.absolute &&
                            (layout->known & FOR_ISOLATION)
                        ? symbols->processor.at +
                              layout->at[MEMBER_CPU_FEATURES] +
                              ISOLATION_WORD_AT
                        : NONE;
    ret->status = TASK_LIST_KNOWN;
    status = judge(symbols, layout, ret);
    if ( status )
        drop_facts(ret, status);
}

static bool is_percpu(const struct task_facts *facts, uint64_t at)
{
    return at < (facts->absolute ? PERCPU_MAX : IMAGE_MAX);
}

bool task_facts_are_sound(const struct task_facts *facts)
{
    if ( facts->status >= TASK_LIST_STATUSES || facts->absolute > 1 )
        return false;
    return facts->status != TASK_LIST_KNOWN ||
           (is_percpu(facts, facts->current) && facts->current % 8 == 0 &&
            facts->offsets < IMAGE_MAX && facts->offsets % 8 == 0 &&
            (facts->vcpu_id == NONE || is_percpu(facts, facts->vcpu_id)) &&
            (facts->features == NONE || facts->features < IMAGE_MAX));
}
