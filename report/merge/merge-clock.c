/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long both agree at an offset is a sum of one shape for each pair of runs
 * of one thread: it rises, stays, and falls, with slope 1.  So four changes of
 * slope say all of a pair, however long its runs are, and summed up over bins
 * of offsets they make the curve.  What two recordings would agree if neither
 * knew of the other is such a shape, too, and is taken off.
 */
#include "merge-clock.h"

#include "base/must.h"
#include "base/vector.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define BINS_MAX     (1u << 22)
#define COARSE       1000000u /* ns */
#define FINE         50000u
#define FINE_REACH   (1000 * (int64_t)FINE)
#define PAIRS_MAX    (24u << 20)
#define PERIODS_MIN  20u        /* that both agree, at least */
#define ERROR_MAX    1000000000 /* ns */
#define HILL_TENTHS  7          /* of the highest: what is no other hill */
#define JOINED_HALFS 3 /* from one moment of a run to the next, at most */

struct clock_run {
    int64_t from, to;
};

struct clock_thread {
    size_t host, hosts, guest, guests; /* runs: first, and how many */
    uint64_t pairs;
};

/* Runs of one side. */
struct clock_side {
    VECTOR(struct clock_run);
    struct clock_run span;
    uint64_t period;
};

struct clock_search {
    struct clock_side host, guest;
    struct {
        VECTOR(struct clock_thread);
    } threads; /* that both have */
    struct clock_run window;
};

/* By how much they agree at offsets from, from + width and so on. */
struct clock_curve {
    int64_t from;
    uint64_t width;
    size_t bins, best;
    double *values;
};

static int compare_moments(const void *left, const void *right)
{
    const struct clock_moment *one = left, *other = right;

    if ( one->tid != other->tid )
        return one->tid < other->tid ? -1 : 1;
    return one->time < other->time ? -1 : one->time > other->time;
}

/* Adds the runs of the thread that begins at *at, which becomes that of the
 * next. */
static void add_runs(struct clock_side *side,
                     const struct clock_moments *moments, size_t *at)
{
    const uint32_t tid = moments->items[*at].tid;
    struct clock_run *run = NULL;

    for ( ; *at < moments->count && moments->items[*at].tid == tid; ++*at )
    {
        const struct clock_moment *moment = &moments->items[*at];
        const int64_t time = (int64_t)moment->time, half = moment->half;

        if ( !run || time - half > run->to + (JOINED_HALFS - 2) * half )
        {
            run = must(vector_add(side));
            run->from = time - half;
        }
        run->to = time + half;
    }
}

/* Sorts the moments, and notes what they span. */
static void begin_side(struct clock_side *side,
                       const struct clock_moments *moments)
{
    uint64_t halfs = 0;

    side->span = (struct clock_run){INT64_MAX, 0};
    for ( size_t i = 0; i < moments->count; i++ )
    {
        const int64_t time = (int64_t)moments->items[i].time;

        halfs += moments->items[i].half;
        side->span.from = time < side->span.from ? time : side->span.from;
        side->span.to = time > side->span.to ? time : side->span.to;
    }
    side->period = 2 * halfs / moments->count + 1;
    qsort(moments->items, moments->count, sizeof(*moments->items),
          compare_moments);
}

static void add_thread(struct clock_search *search,
                       const struct clock_moments *host, size_t *host_at,
                       const struct clock_moments *guest, size_t *guest_at)
{
    struct clock_thread *thread = must(vector_add(&search->threads));

    thread->host = search->host.count;
    thread->guest = search->guest.count;
    add_runs(&search->host, host, host_at);
    add_runs(&search->guest, guest, guest_at);
    thread->hosts = search->host.count - thread->host;
    thread->guests = search->guest.count - thread->guest;
}

static void add_threads(struct clock_search *search,
                        const struct clock_moments *host,
                        const struct clock_moments *guest)
{
    size_t i = 0, j = 0;

    while ( i < host->count && j < guest->count )
        if ( host->items[i].tid < guest->items[j].tid )
            i++;
        else if ( host->items[i].tid > guest->items[j].tid )
            j++;
        else
            add_thread(search, host, &i, guest, &j);
}

/* Returns the first of the thread's runs of the host that ends after a time. */
static size_t first_after(const struct clock_search *search,
                          const struct clock_thread *thread, int64_t time)
{
    size_t low = thread->host, high = thread->host + thread->hosts;

    while ( low < high )
    {
        const size_t middle = low + (high - low) / 2;

        if ( search->host.items[middle].to <= time )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Calls for each pair of runs of a thread that meet at offsets of a window. */
typedef void pair_fn(void *argument, const struct clock_run *host,
                     const struct clock_run *guest);

static void for_pairs(const struct clock_search *search,
                      const struct clock_thread *thread,
                      const struct clock_run *window, pair_fn *call,
                      void *argument)
{
    const size_t end = thread->host + thread->hosts;

    for ( size_t i = 0; i < thread->guests; i++ )
    {
        const struct clock_run *guest = &search->guest.items[thread->guest + i];
        size_t at = first_after(search, thread, guest->from + window->from);

        for ( ;
              at < end && search->host.items[at].from < guest->to + window->to;
              at++ )
            call(argument, &search->host.items[at], guest);
    }
}

/* How many pairs there are, without looking at each. */
static uint64_t count_pairs(const struct clock_search *search,
                            const struct clock_thread *thread)
{
    uint64_t pairs = 0;

    for ( size_t i = 0; i < thread->guests; i++ )
    {
        const struct clock_run *guest = &search->guest.items[thread->guest + i];

        pairs += first_after(search, thread, guest->to + search->window.to) +
                 1 -
                 first_after(search, thread, guest->from + search->window.from);
    }
    return pairs;
}

static int compare_pairs(const void *left, const void *right)
{
    const struct clock_thread *one = left, *other = right;

    return one->pairs < other->pairs ? -1 : one->pairs > other->pairs;
}

/* Threads that ran seldom say more, and take less: of the first that is too
 * much the guest's first runs are taken, and those after it are left out. */
static void choose_threads(struct clock_search *search)
{
    struct clock_thread *threads = search->threads.items;
    uint64_t pairs = 0;
    size_t kept = 0;

    for ( size_t i = 0; i < search->threads.count; i++ )
        threads[i].pairs = count_pairs(search, &threads[i]);
    if ( threads )
        qsort(threads, search->threads.count, sizeof(*threads), compare_pairs);
    while ( kept < search->threads.count &&
            pairs + threads[kept].pairs <= PAIRS_MAX )
        pairs += threads[kept++].pairs;
    if ( kept < search->threads.count )
    {
        struct clock_thread *thread = &threads[kept++];

        thread->guests = (size_t)((double)thread->guests *
                                  (double)(PAIRS_MAX - pairs) /
                                  (double)thread->pairs);
    }
    search->threads.count = kept;
}

/* The slope changes at an offset, by so much. */
static void bend(struct clock_curve *curve, int64_t offset, double slope)
{
    const double at = (double)(offset - curve->from) / (double)curve->width;
    const double last = (double)(curve->bins - 1);
    size_t bin;

    if ( at >= last )
        return;
    if ( at < 0 ) /* its effect at the first bin is a value, and a slope */
    {
        curve->values[curve->bins] -= slope * at;
        curve->values[0] += slope;
        return;
    }
    bin = (size_t)at;
    curve->values[bin] += slope * ((double)bin + 1 - at);
    curve->values[bin + 1] += slope * (at - (double)bin);
}

static void add_shape(struct clock_curve *curve, const struct clock_run *host,
                      const struct clock_run *guest, double slope)
{
    const int64_t begins = host->from - guest->from,
                  ends = host->to - guest->to;

    bend(curve, host->from - guest->to, slope);
    bend(curve, begins < ends ? begins : ends, -slope);
    bend(curve, begins < ends ? ends : begins, -slope);
    bend(curve, host->to - guest->from, slope);
}

static void add_pair(void *argument, const struct clock_run *host,
                     const struct clock_run *guest)
{
    add_shape(argument, host, guest, 1);
}

static double share_of(const struct clock_side *side, size_t first,
                       size_t count)
{
    int64_t sum = 0;

    for ( size_t i = first; i < first + count; i++ )
        sum += side->items[i].to - side->items[i].from;
    return (double)sum /
           (double)(side->span.to - side->span.from + (int64_t)side->period);
}

/* What they would agree by chance, of the time that both recorded. */
static double chance(const struct clock_search *search)
{
    double sum = 0;

    for ( size_t i = 0; i < search->threads.count; i++ )
    {
        const struct clock_thread *thread = &search->threads.items[i];

        sum += share_of(&search->host, thread->host, thread->hosts) *
               share_of(&search->guest, thread->guest, thread->guests);
    }
    return sum;
}

/* Changes of slope become values, in units of a bin's width. */
static void sum_up(struct clock_curve *curve)
{
    double slope = 0, value = curve->values[curve->bins];

    curve->best = 0;
    for ( size_t i = 0; i < curve->bins; i++ )
    {
        slope += curve->values[i];
        curve->values[i] = value * (double)curve->width;
        value += slope;
        if ( curve->values[i] > curve->values[curve->best] )
            curve->best = i;
    }
}

static void draw_curve(const struct clock_search *search,
                       const struct clock_run *window, uint64_t width,
                       struct clock_curve *ret)
{
    const struct clock_run host = {search->host.span.from,
                                   search->host.span.to +
                                       (int64_t)search->host.period};
    const struct clock_run guest = {search->guest.span.from,
                                    search->guest.span.to +
                                        (int64_t)search->guest.period};

    ret->from = window->from;
    ret->width = width;
    ret->bins = (size_t)((uint64_t)(window->to - window->from) / width) + 2;
    ret->values = must(calloc(ret->bins + 1, sizeof(*ret->values)));
    for ( size_t i = 0; i < search->threads.count; i++ )
        for_pairs(search, &search->threads.items[i], window, add_pair, ret);
    add_shape(ret, &host, &guest, -chance(search));
    sum_up(ret);
}

/* Finds the bins around the best that are all above a value.  Returns whether
 * they end within the curve. */
static bool find_hill(const struct clock_curve *curve, double above,
                      size_t *first, size_t *last)
{
    *first = *last = curve->best;
    while ( *first && curve->values[*first - 1] > above )
        --*first;
    while ( *last + 1 < curve->bins && curve->values[*last + 1] > above )
        ++*last;
    return *first && *last + 1 < curve->bins;
}

/* Whether somewhere else there is as good a place. */
static bool has_other_hill(const struct clock_curve *curve)
{
    const double above = curve->values[curve->best] * HILL_TENTHS / 10;
    size_t first, last;

    find_hill(curve, above, &first, &last);
    for ( size_t i = 0; i < curve->bins; i++ )
        if ( (i < first || i > last) && curve->values[i] > above )
            return true;
    return false;
}

/* What both have at one offset. */
struct clock_agreement {
    int64_t offset;
    uint64_t agreed, pairs;
};

static void add_agreement(void *argument, const struct clock_run *host,
                          const struct clock_run *guest)
{
    struct clock_agreement *agreement = argument;
    const int64_t from = guest->from + agreement->offset,
                  to = guest->to + agreement->offset;
    const int64_t first = host->from > from ? host->from : from;
    const int64_t last = host->to < to ? host->to : to;

    if ( first >= last )
        return;
    agreement->agreed += (uint64_t)(last - first);
    agreement->pairs++;
}

/* Each end of a run is known to a sample.  Returns by how much agreement may be
 * less than its best for no other reason. */
static double noise_of(const struct clock_search *search,
                       const struct clock_agreement *agreement)
{
    const double ends = sqrt((double)agreement->pairs);

    return (double)search->host.period * (ends > 2 ? ends : 2);
}

static void agree_at(const struct clock_search *search, int64_t offset,
                     struct clock_agreement *ret)
{
    const struct clock_run there = {offset, offset};

    *ret = (struct clock_agreement){.offset = offset};
    for ( size_t i = 0; i < search->threads.count; i++ )
        for_pairs(search, &search->threads.items[i], &there, add_agreement,
                  ret);
}

/* Two who sample at one pace see the same of a run, however far they are apart
 * within a period. */
static uint64_t blur_of(const struct clock_search *search)
{
    const uint64_t host = search->host.period, guest = search->guest.period;

    return (host < guest ? host : guest) / 2;
}

/* Sets the offset to the middle of what does as well as the best. */
static bool take_middle(const struct clock_curve *curve, double noise,
                        struct clock_found *ret)
{
    size_t first, last;
    const bool ends = find_hill(curve, curve->values[curve->best] - noise,
                                &first, &last);

    ret->offset = curve->from + (int64_t)((first + last) * curve->width / 2);
    ret->error = (last - first) * curve->width / 2 + curve->width;
    return ends;
}

static enum clock_verdict judge_curve(const struct clock_search *search,
                                      const struct clock_curve *coarse,
                                      struct clock_found *ret)
{
    const int64_t best = coarse->from + (int64_t)(coarse->best * coarse->width);
    const int64_t reach = FINE_REACH + 2 * (int64_t)coarse->width;
    const struct clock_run near = {best - reach, best + reach};
    const double least = (double)(PERIODS_MIN * search->host.period);
    struct clock_agreement agreement;
    struct clock_curve fine;
    uint64_t width;
    double noise;

    agree_at(search, best, &agreement);
    if ( !agreement.pairs )
        return CLOCK_STRANGERS;
    if ( coarse->values[coarse->best] < least )
        return CLOCK_SMOOTH;
    if ( has_other_hill(coarse) )
        return CLOCK_TWICE;
    noise = noise_of(search, &agreement);
    width = (uint64_t)(2 * reach) / BINS_MAX + 1;
    draw_curve(search, &near, width > FINE ? width : FINE, &fine);
    if ( !take_middle(&fine, noise, ret) )
        take_middle(coarse, noise, ret);
    free(fine.values);
    ret->error += blur_of(search);
    agree_at(search, ret->offset, &agreement);
    ret->agreed = agreement.agreed;
    return ret->error > ERROR_MAX ? CLOCK_SMOOTH : CLOCK_FOUND;
}

static enum clock_verdict search_offset(struct clock_search *search,
                                        struct clock_found *ret)
{
    const struct clock_run *window = &search->window;
    enum clock_verdict verdict;
    struct clock_curve curve;
    uint64_t width;

    if ( window->from >= window->to || !search->threads.count )
        return CLOCK_STRANGERS;
    choose_threads(search);
    width = (uint64_t)(window->to - window->from) / BINS_MAX + 1;
    draw_curve(search, window, width > COARSE ? width : COARSE, &curve);
    verdict = judge_curve(search, &curve, ret);
    free(curve.values);
    return verdict;
}

enum clock_verdict clock_find(const struct clock_moments *host,
                              const struct clock_moments *guest,
                              const struct clock_window *window,
                              struct clock_found *ret)
{
    struct clock_search search = {.window = {window->from, window->to}};
    enum clock_verdict verdict;
    struct clock_run all;

    if ( !host->count || !guest->count )
        return CLOCK_STRANGERS;
    begin_side(&search.host, host);
    begin_side(&search.guest, guest);
    all.from = search.host.span.from - search.guest.span.to;
    all.to = search.host.span.to - search.guest.span.from;
    if ( search.window.from < all.from )
        search.window.from = all.from;
    if ( search.window.to > all.to )
        search.window.to = all.to;
    add_threads(&search, host, guest);
    verdict = search_offset(&search, ret);
    vector_free(&search.host);
    vector_free(&search.guest);
    vector_free(&search.threads);
    return verdict;
}
