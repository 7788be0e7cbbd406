/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds up the last seconds of a session. */
#include "live-window.h"

#include "report/model/account.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000u

struct cell_slice {
    uint64_t cell; /* index */
    uint64_t samples;
    uint64_t ticks;
};

struct pcpu_slice {
    uint64_t pcpu; /* number */
    uint64_t wall;
    uint64_t idle;
};

static void slice_init(struct live_slice *slice, uint64_t second)
{
    slice->second = second;
    table_init(&slice->cells, sizeof(uint64_t), sizeof(struct cell_slice));
    table_init(&slice->pcpus, sizeof(uint64_t), sizeof(struct pcpu_slice));
    waits_init(&slice->waits);
}

static void slice_free(struct live_slice *slice)
{
    table_free(&slice->cells);
    table_free(&slice->pcpus);
    waits_free(&slice->waits);
}

void live_window_init(struct live_window *window)
{
    window->last = 0;
    for ( unsigned int i = 0; i < LIVE_SECONDS; i++ )
        slice_init(&window->slices[i], i);
}

void live_window_free(struct live_window *window)
{
    for ( unsigned int i = 0; i < LIVE_SECONDS; i++ )
        slice_free(&window->slices[i]);
}

/* Returns the slice of a time, or NULL if it is before the longest window. */
static struct live_slice *find_slice(struct live_window *window, uint64_t time)
{
    uint64_t second = time / NS_PER_S;
    struct live_slice *slice = &window->slices[second % LIVE_SECONDS];

    if ( second > window->last )
        window->last = second;
    if ( slice->second > second || second + LIVE_SECONDS <= window->last )
        return NULL;
    if ( slice->second != second )
    {
        slice_free(slice);
        slice_init(slice, second);
    }
    return slice;
}

bool live_window_sample(struct live_window *window, uint64_t time, size_t cell,
                        uint64_t ticks)
{
    struct live_slice *slice = find_slice(window, time);
    uint64_t index = cell;
    struct cell_slice *added;

    if ( !slice )
        return true;
    added = table_put(&slice->cells, &index);
    if ( !added )
        return false;
    added->samples++;
    added->ticks += ticks;
    return true;
}

bool live_window_idle(struct live_window *window, uint64_t time, uint64_t pcpu,
                      uint64_t wall, uint64_t idle)
{
    struct live_slice *slice = find_slice(window, time);
    struct pcpu_slice *added;

    if ( !slice )
        return true;
    added = table_put(&slice->pcpus, &pcpu);
    if ( !added )
        return false;
    added->wall += wall;
    added->idle += idle;
    return true;
}

bool live_window_wait(struct live_window *window, uint64_t time,
                      const struct xenoprof_waited *waited)
{
    uint64_t last = time / NS_PER_S, second = last;
    uint64_t first = waited->span < time ? (time - waited->span) / NS_PER_S : 0;
    bool done = true;

    /* The newest first: it says how old the others may be. */
    for ( ; done && second + LIVE_SECONDS > last && second >= first; second-- )
    {
        const struct time_span span = {.from = second * NS_PER_S,
                                       .to = (second + 1) * NS_PER_S};
        struct live_slice *slice = find_slice(window, span.from);

        if ( !slice )
            return true;
        done = waits_add(&slice->waits, &span, time, waited);
        if ( !second )
            break;
    }
    return done;
}

struct vcpu_times live_window_waits(const struct live_window *window,
                                    unsigned int seconds,
                                    const struct loaded_domain *domain)
{
    struct vcpu_times times = {.span = 0};

    for ( unsigned int i = 0; i < LIVE_SECONDS; i++ )
    {
        const struct live_slice *slice = &window->slices[i];

        if ( slice->second + seconds > window->last &&
             slice->second <= window->last )
            waits_add_domain(&slice->waits, domain->key.uuid,
                             domain->key.number, &times);
    }
    return times;
}

static void *copy(const struct table *table)
{
    void *entries = calloc(table->count + 1, table->entry_size);

    return entries && table->count ? memcpy(entries, table->entries,
                                            table->count * table->entry_size)
                                   : entries;
}

static void clear(struct loaded *loaded)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);

        cell->samples = cell->ticks = cell->time = 0;
    }
    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
    {
        struct loaded_pcpu *pcpu = table_at(&loaded->pcpus, i);

        pcpu->wall = pcpu->idle = 0;
    }
}

static void add_slice(struct loaded *loaded, const struct live_slice *slice)
{
    for ( size_t i = 0; i < slice->cells.count; i++ )
    {
        const struct cell_slice *added = table_at(&slice->cells, i);
        struct cell *cell = table_at(&loaded->cells, added->cell);

        cell->samples += added->samples;
        cell->ticks += added->ticks;
    }
    for ( size_t i = 0; i < slice->pcpus.count; i++ )
    {
        const struct pcpu_slice *added = table_at(&slice->pcpus, i);
        struct loaded_pcpu *pcpu = table_find(&loaded->pcpus, &added->pcpu);

        if ( !pcpu )
            continue;
        pcpu->wall += added->wall;
        pcpu->idle += added->idle;
    }
}

bool live_window_enter(const struct live_window *window, unsigned int seconds,
                       struct loaded *loaded, struct live_saved *saved)
{
    struct failure ignored = {0}; /* what is wanted may come later */

    *saved = (struct live_saved){
        .cells = copy(&loaded->cells),
        .cell_count = loaded->cells.count,
        .pcpus = copy(&loaded->pcpus),
        .pcpu_count = loaded->pcpus.count,
        .unsampled = loaded->unsampled,
    };
    if ( !saved->cells || !saved->pcpus )
        return false;
    types_choose(loaded, "the session", &ignored);
    if ( seconds )
        clear(loaded);
    for ( unsigned int i = 0; seconds && i < LIVE_SECONDS; i++ )
        if ( window->slices[i].second + seconds > window->last )
            add_slice(loaded, &window->slices[i]);
    loaded->unsampled = 0;
    types_hide(loaded);
    return account_time(loaded);
}

/* Cells that accounting added stay, with nothing in them. */
void live_window_leave(struct loaded *loaded, struct live_saved *saved)
{
    if ( saved->cells && saved->pcpus )
    {
        clear(loaded);
        memcpy(loaded->cells.entries, saved->cells,
               saved->cell_count * sizeof(*saved->cells));
        if ( saved->pcpu_count )
            memcpy(loaded->pcpus.entries, saved->pcpus,
                   saved->pcpu_count * sizeof(*saved->pcpus));
    }
    loaded->unsampled = saved->unsampled;
    free(saved->cells);
    free(saved->pcpus);
}
