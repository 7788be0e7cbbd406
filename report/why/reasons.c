/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reasons.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/entry/entry-text.h"
#include "report/model/labels.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(REASONS <= UINT8_MAX, "a reason is stored in a byte");

/* What a function of Xen's says; by the guest's mode, if that is known. */
struct landmark {
    const char *symbol;
    bool work;
    uint8_t reason;
    uint8_t kernel;
    uint8_t user;
    uint8_t part; /* then it says nothing else */
};

static const struct landmark landmarks[] = {
#define REASON(name, words, whom, advice)
#define ENTRY(symbol, reason)                                                  \
    {#symbol, false, REASON_##reason, REASON_##reason, REASON_##reason, 0},
#define ENTRY_BY(symbol, kernel, user)                                         \
    {#symbol, false, REASON_entered, REASON_##kernel, REASON_##user, 0},
#define WORK(symbol, reason)                                                   \
    {#symbol, true, REASON_##reason, REASON_##reason, REASON_##reason, 0},
#define WORK_OF(caller, symbol, reason)
#include "reasons.def"
#undef REASON
#undef ENTRY
#undef ENTRY_BY
#undef WORK
#undef WORK_OF
#define PART(name, words, advice)
#define DURING(symbol, part) {#symbol, false, 0, 0, 0, PART_##part},
#include "parts.def"
#undef PART
#undef DURING
};

#define LANDMARKS (sizeof(landmarks) / sizeof(landmarks[0]))

/* What a function says only if another has called it. */
static const struct {
    const char *caller;
    struct landmark landmark;
} calls[] = {
#define REASON(name, words, whom, advice)
#define ENTRY(symbol, reason)
#define ENTRY_BY(symbol, kernel, user)
#define WORK(symbol, reason)
#define WORK_OF(caller, symbol, reason)                                        \
    {#caller,                                                                  \
     {#symbol, true, REASON_##reason, REASON_##reason, REASON_##reason, 0}},
#include "reasons.def"
#undef REASON
#undef ENTRY
#undef ENTRY_BY
#undef WORK
#undef WORK_OF
};

/* A page of a pCPU's: system calls come in there. */
static const struct landmark stub = {
    "[stub]", false, REASON_entered, REASON_hypercall, REASON_pv_syscall, 0};
static const struct landmark module = {
    "[xenoprof]", true, REASON_profiler, REASON_profiler, REASON_profiler, 0};

enum { ANY = false, GUEST = true };

#define UNASKED UINT8_MAX

static const struct reason_text texts[REASONS] = {
    [REASON_none] = {"none", "not known", NULL, false},
#define REASON(name, words, whom, advice)                                      \
    [REASON_##name] = {#name, words, advice, whom},
#define ENTRY(symbol, reason)
#define ENTRY_BY(symbol, kernel, user)
#define WORK(symbol, reason)
#define WORK_OF(caller, symbol, reason)
#include "reasons.def"
#undef REASON
#undef ENTRY
#undef ENTRY_BY
#undef WORK
#undef WORK_OF
};

static const struct reason_text part_texts[PARTS] = {
#define PART(name, words, advice) [PART_##name] = {#name, words, advice, ANY},
#define DURING(symbol, part)
#include "parts.def"
#undef PART
#undef DURING
};

const struct reason_text *reason_text(enum xen_reason reason)
{
    return &texts[reason];
}

const struct reason_text *part_text(enum xen_part part)
{
    return &part_texts[part];
}

/* A symbol is compared as far as the landmark's, or as the first '.': compilers
 * add what they made of a function behind one. */
static int compare_landmark(const char *symbol, const struct landmark *landmark)
{
    size_t length = strcspn(symbol, ".");
    int order = strncmp(symbol, landmark->symbol, length);

    if ( order )
        return order;
    return landmark->symbol[length] ? -1 : 0;
}

static void note_reasons(const struct landmark *landmark,
                         struct symbol_reasons *ret)
{
    ret->of_reason[landmark->reason] = true;
    ret->of_reason[landmark->kernel] = true;
    ret->of_reason[landmark->user] = true;
}

bool symbol_reasons(const char *symbol, struct symbol_reasons *ret)
{
    const char *name = label_short_symbol(symbol);
    bool found = false;

    *ret = (struct symbol_reasons){.work = false};
    for ( size_t i = 0; i < LANDMARKS; i++ )
    {
        if ( compare_landmark(name, &landmarks[i]) )
            continue;
        found = true;
        ret->work = landmarks[i].work;
        ret->part = landmarks[i].part;
        if ( !ret->part )
            note_reasons(&landmarks[i], ret);
    }
    for ( size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++ )
    {
        if ( compare_landmark(name, &calls[i].landmark) )
            continue;
        ret->by_caller = true;
        note_reasons(&calls[i].landmark, ret);
    }
    return found;
}

struct finder_of_reasons {
    const struct loaded *loaded;
    const struct stacks *stacks;
    const struct landmark *sorted[LANDMARKS];
    const struct landmark **of_frame; /* NULL: says nothing */
};

static int compare_landmarks(const void *left, const void *right)
{
    const struct landmark *const *a = left, *const *b = right;

    return strcmp((*a)->symbol, (*b)->symbol);
}

static int compare_symbol(const void *key, const void *entry)
{
    return compare_landmark(key, *(const struct landmark *const *)entry);
}

static bool is_of_xen(const struct frame *frame)
{
    return frame->key.kind <= FRAME_UNKNOWN &&
           frame->key.mode == XENOPROF_MODE_XEN;
}

static const struct landmark *landmark_of(
    const struct finder_of_reasons *finder, const struct frame *frame)
{
    const struct landmark **found;
    const char *symbol;

    if ( !is_of_xen(frame) )
        return NULL;
    if ( frame->key.area == AREA_STUB )
        return &stub;
    if ( frame->key.area == AREA_MODULE )
        return &module;
    symbol = names_text(&finder->loaded->names, frame->key.symbol);
    if ( !symbol )
        return NULL;
    found = bsearch(label_short_symbol(symbol), finder->sorted, LANDMARKS,
                    sizeof(finder->sorted[0]), compare_symbol);
    return found ? *found : NULL;
}

static const struct landmark *called_by(const struct landmark *caller,
                                        const struct landmark *landmark)
{
    for ( size_t i = 0; caller && i < sizeof(calls) / sizeof(calls[0]); i++ )
        if ( !strcmp(calls[i].caller, caller->symbol) &&
             !strcmp(calls[i].landmark.symbol, landmark->symbol) )
            return &calls[i].landmark;
    return landmark;
}

/* Of the frames of Xen's, root first: the innermost that says what Xen did, or
 * else the innermost way in.  *part is what it did in between. */
static const struct landmark *innermost(const struct finder_of_reasons *finder,
                                        const uint32_t *frames, uint32_t count,
                                        uint8_t *part)
{
    const struct landmark *entry = NULL;

    *part = PART_none;
    for ( uint32_t i = count; i-- > 0; )
    {
        const struct landmark *landmark = finder->of_frame[frames[i]];

        /* A stub is also where Xen's emulator has its instructions. */
        if ( !landmark || (landmark == &stub && i) )
            continue;
        if ( i )
            landmark = called_by(finder->of_frame[frames[i - 1]], landmark);
        if ( landmark->work )
            return landmark;
        if ( landmark->part )
            *part = landmark->part;
        else if ( !entry )
            entry = landmark;
    }
    return entry;
}

static struct chain_reason reason_of_chain(
    const struct finder_of_reasons *finder, const struct chain *chain)
{
    uint32_t *frames = finder->stacks->path.items;
    const uint32_t count = chain->count;
    struct chain_reason ret = {REASON_none, PART_none};
    const struct landmark *landmark;
    const struct frame *guest = NULL;

    /* What is not Xen's is not asked, but for whom it called. */
    for ( ; chain->count;
          chain = stacks_chain(finder->stacks, chain->key.parent) )
    {
        guest = stacks_frame(finder->stacks, chain->key.frame);
        if ( !is_of_xen(guest) )
            break;
        frames[chain->count - 1] = chain->key.frame;
        guest = NULL;
    }
    landmark = innermost(finder, frames + chain->count, count - chain->count,
                         &ret.part);
    if ( !landmark )
        return ret;
    if ( !guest || guest->key.kind > FRAME_UNKNOWN )
        ret.reason = landmark->reason;
    else
        ret.reason = guest->key.mode == XENOPROF_MODE_USER ? landmark->user
                                                           : landmark->kernel;
    return ret;
}

static void find_landmarks(struct finder_of_reasons *finder)
{
    for ( size_t i = 0; i < LANDMARKS; i++ )
        finder->sorted[i] = &landmarks[i];
    qsort(finder->sorted, LANDMARKS, sizeof(finder->sorted[0]),
          compare_landmarks);
    for ( size_t i = 0; i < finder->stacks->frames.count; i++ )
        finder->of_frame[i] = landmark_of(
            finder, stacks_frame(finder->stacks, (uint32_t)i));
}

/* Chains are to be asked for if a frame of Xen's is a landmark: others have no
 * reason.  Parents come before their children. */
static void find_asked(const struct finder_of_reasons *finder,
                       struct chain_reason *reasons)
{
    for ( size_t i = CHAIN_EMPTY + 1; i < finder->stacks->chains.count; i++ )
    {
        const struct chain *chain = stacks_chain(finder->stacks, (uint32_t)i);
        const uint32_t frame = chain->key.frame;

        if ( finder->of_frame[frame] ||
             (reasons[chain->key.parent].reason == UNASKED &&
              is_of_xen(stacks_frame(finder->stacks, frame))) )
            reasons[i].reason = UNASKED;
    }
}

/* Chains that are only parts of others' are not asked for. */
static void find_reason(const struct finder_of_reasons *finder,
                        const struct cell *cell, struct chain_reason *reasons)
{
    if ( cell->key.mode == XENOPROF_MODE_XEN &&
         reasons[cell->chain].reason == UNASKED )
        reasons[cell->chain] = reason_of_chain(
            finder, stacks_chain(finder->stacks, cell->chain));
}

struct chain_reason *reasons_find(const struct loaded *loaded,
                                  const struct stacks *stacks)
{
    size_t frames = stacks->frames.count, chains = stacks->chains.count;
    struct finder_of_reasons finder = {
        .loaded = loaded,
        .stacks = stacks,
        .of_frame = must(calloc(frames + 1, sizeof(struct landmark *))),
    };
    struct chain_reason *reasons = must(calloc(chains + 1, sizeof(*reasons)));

    find_landmarks(&finder);
    find_asked(&finder, reasons);
    for ( size_t i = 0; i < loaded->cells.count; i++ )
        find_reason(&finder, table_at(&loaded->cells, i), reasons);
    for ( size_t i = 0; i < chains; i++ )
        if ( reasons[i].reason == UNASKED )
            reasons[i].reason = REASON_none;
    free(finder.of_frame);
    return reasons;
}

bool reason_is_way(enum xen_reason reason)
{
    return reason == REASON_none || reason == REASON_exit ||
           reason == REASON_entered || reason == REASON_hypercall ||
           reason == REASON_pv_exception;
}

/* Without its detail it is not known which of the two it was. */
static enum xen_reason reason_of_register(const struct xenoprof_entry *entry)
{
    if ( entry->flags & XENOPROF_ENTRY_BARE )
        return REASON_exit;
    return entry->detail & XENOPROF_ENTRY_WRITE ? REASON_exit_msr_write
                                                : REASON_exit_msr_read;
}

enum xen_reason reason_of_entry(const struct xenoprof_entry *entry)
{
    static const uint8_t of_way[] = {
#define WAY(kind, first, last, name, detail, reason) REASON_##reason,
#include "report/entry/ways.def"
#undef WAY
    };
    int way = entry_way(entry);

    if ( entry->flags & XENOPROF_ENTRY_PROFILER )
        return REASON_profiler;
    if ( entry->flags & XENOPROF_ENTRY_USER )
        return REASON_pv_syscall;
    if ( way < 0 )
        return entry->kind == XENOPROF_ENTRY_PV ? REASON_hypercall
                                                : REASON_exit;
    if ( of_way[way] == REASON_exit_msr_read )
        return reason_of_register(entry);
    return (enum xen_reason)of_way[way];
}

enum xen_reason reason_of_cell(const struct loaded *loaded,
                               const struct chain_reason *reasons,
                               const struct cell *cell)
{
    const struct xenoprof_entry *entry = loaded_entry(loaded, cell);
    enum xen_reason by_stack = (enum xen_reason)reasons[cell->chain].reason;
    enum xen_reason by_entry;

    if ( !entry || !(reason_is_way(by_stack) || by_stack == REASON_leave) )
        return by_stack;
    by_entry = reason_of_entry(entry);
    if ( by_stack == REASON_leave )
        return by_entry;
    return reason_is_way(by_entry) && by_stack ? by_stack : by_entry;
}

#define OUTSIDE REASONS /* of what was not in Xen */

static bool is_meant(const char *value, unsigned int reason)
{
    if ( reason == OUTSIDE )
        return !strcmp(value, "outside");
    return !fnmatch(value, texts[reason].name, 0) ||
           !fnmatch(value, texts[reason].words, 0);
}

bool reason_is_meant(const char *value)
{
    unsigned int reason = 0;

    while ( reason <= OUTSIDE && !is_meant(value, reason) )
        reason++;
    return reason <= OUTSIDE;
}

void mark_reasons(const struct filter *filter, struct loaded *loaded,
                  const struct stacks *stacks)
{
    struct chain_reason *reasons SCOPE_FREE = reasons_find(loaded, stacks);
    bool meant[OUTSIDE + 1] = {false};

    for ( size_t i = 0; i < filter->count; i++ )
        for ( unsigned int reason = 0; reason <= OUTSIDE; reason++ )
            meant[reason] |= is_meant(filter->items[i].text, reason);
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);
        const bool in = cell->key.mode == XENOPROF_MODE_XEN &&
                        cell->key.domain != DOMAIN_INDEX_OTHER;

        cell->of_reason =
            meant[in ? reason_of_cell(loaded, reasons, cell) : OUTSIDE];
    }
}
