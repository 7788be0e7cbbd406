/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait-bins.h"

#include "base/must.h"
#include "report/model/format.h"

#include <stdlib.h>

static void init_table(struct table *bins)
{
    table_init(bins, sizeof(((struct wait_bin *)0)->key),
               sizeof(struct wait_bin));
}

void wait_bins_init(struct wait_bins *bins)
{
    *bins = (struct wait_bins){.width = NS_PER_S};
    init_table(&bins->bins);
}

void wait_bins_free(struct wait_bins *bins)
{
    table_free(&bins->bins);
}

void vcpu_times_add(struct vcpu_times *to, const struct vcpu_times *more)
{
    to->span += more->span;
    to->running += more->running;
    to->runnable += more->runnable;
    to->capped += more->capped;
    to->blocked += more->blocked;
    to->device += more->device;
    to->paused += more->paused;
}

static void add_to(struct table *bins, uint32_t bin, uint32_t whose,
                   const struct vcpu_times *times)
{
    const struct wait_bin key = {.key = {bin, whose}};
    struct wait_bin *to = must(table_put(bins, &key.key));

    vcpu_times_add(&to->times, times);
}

/* Two bins become one. */
static void widen(struct wait_bins *bins)
{
    struct table wide;

    init_table(&wide);
    for ( size_t i = 0; i < bins->bins.count; i++ )
    {
        const struct wait_bin *bin = table_at(&bins->bins, i);

        add_to(&wide, bin->key.bin / 2, bin->key.whose, &bin->times);
    }
    table_free(&bins->bins);
    bins->bins = wide;
    bins->width *= 2;
}

void wait_bins_add(struct wait_bins *bins, uint32_t whose, uint64_t time,
                   const struct vcpu_times *times)
{
    const size_t most = bins->most ? bins->most : WAIT_BINS_MOST;
    const uint64_t half = times->span / 2;
    const uint64_t middle = time > half ? time - half : 0;

    if ( !bins->wanted )
        return;
    while ( middle / bins->width > UINT32_MAX )
        widen(bins);
    add_to(&bins->bins, (uint32_t)(middle / bins->width), whose, times);
    /* So many domains may be there in one second. */
    if ( bins->bins.count > most && bins->width < UINT64_MAX / 4 )
        widen(bins);
}

static int compare_bins(const void *left, const void *right)
{
    const struct wait_bin *a = left, *b = right;

    if ( a->key.whose != b->key.whose )
        return a->key.whose < b->key.whose ? -1 : 1;
    return (a->key.bin > b->key.bin) - (a->key.bin < b->key.bin);
}

struct wait_bin *wait_bins_sorted(const struct wait_bins *bins)
{
    struct wait_bin *sorted = must(
        calloc(bins->bins.count + 1, sizeof(*sorted)));

    for ( size_t i = 0; i < bins->bins.count; i++ )
        sorted[i] = *(const struct wait_bin *)table_at(&bins->bins, i);
    qsort(sorted, bins->bins.count, sizeof(*sorted), compare_bins);
    return sorted;
}
