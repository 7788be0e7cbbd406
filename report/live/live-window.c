/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds up the last seconds of a session. */
#include "live-window.h"

#include "base/must.h"
#include "report/model/account.h"
#include "report/model/format.h"
#include "report/cells/spooled-cells.h"

#include <stdlib.h>
#include <string.h>

#define ALL_SECONDS 1000000000u /* a slot that has all of a session */

struct cell_slice {
    struct {
        uint32_t cell;  /* index */
        uint32_t owner; /* of loaded.slots; 0: not known */
    } key;
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
    table_init(&slice->cells, sizeof(((struct cell_slice *)0)->key),
               sizeof(struct cell_slice));
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
    slice_init(&window->all, 0);
}

void live_window_free(struct live_window *window)
{
    for ( unsigned int i = 0; i < LIVE_SECONDS; i++ )
        slice_free(&window->slices[i]);
    slice_free(&window->all);
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

static void add_sample(struct live_slice *slice, uint32_t cell, uint32_t owner,
                       uint64_t ticks)
{
    const struct cell_slice key = {.key = {cell, owner}};
    struct cell_slice *added = must(table_put(&slice->cells, &key.key));

    added->samples++;
    added->ticks += ticks;
}

void live_window_sample(struct live_window *window, uint64_t time,
                        uint32_t cell, uint32_t owner, uint64_t ticks)
{
    struct live_slice *slice = find_slice(window, time);

    if ( slice )
        add_sample(slice, cell, owner, ticks);
    add_sample(&window->all, cell, owner, ticks);
}

static void add_slice_idle(struct live_slice *slice, uint64_t pcpu,
                           uint64_t wall, uint64_t idle)
{
    struct pcpu_slice *added = must(table_put(&slice->pcpus, &pcpu));

    added->wall += wall;
    added->idle += idle;
}

void live_window_idle(struct live_window *window, uint32_t pcpu,
                      const struct idle_row *row)
{
    const uint64_t whole = row->to - row->from;

    for ( uint64_t at = row->from, end; at < row->to; at = end )
    {
        struct live_slice *slice;

        if ( at + LIVE_SECONDS * (uint64_t)NS_PER_S < row->to )
            at = row->to - LIVE_SECONDS * (uint64_t)NS_PER_S;
        slice = find_slice(window, at);
        end = (at / NS_PER_S + 1) * NS_PER_S;
        end = end < row->to ? end : row->to;
        if ( slice )
            add_slice_idle(slice, pcpu, end - at,
                           waits_between(row->idle, whole, at - row->from,
                                         end - row->from));
    }
    add_slice_idle(&window->all, pcpu, whole, row->idle);
}

void live_window_wait(struct live_window *window, uint64_t time,
                      const struct xenoprof_waited *waited)
{
    uint64_t last = time / NS_PER_S, second = last;
    uint64_t first = waited->span < time ? (time - waited->span) / NS_PER_S : 0;

    /* The newest first: it says how old the others may be. */
    for ( ; second + LIVE_SECONDS > last && second >= first; second-- )
    {
        const struct time_span span = {.from = second * NS_PER_S,
                                       .to = (second + 1) * NS_PER_S};
        struct live_slice *slice = find_slice(window, span.from);

        if ( !slice )
            return;
        waits_add(&slice->waits, &span, time, waited);
        if ( !second )
            break;
    }
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

static void clear(struct loaded *loaded)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);

        cell->samples = cell->ticks = cell->time = 0;
        cell->square = 0;
    }
    table_free(&loaded->pcpus);
    loaded->unsampled = loaded->borrowed = loaded->estimated = 0;
    slots_clear(&loaded->slots);
    loaded->slots.by_pcpu = false;
}

/* Xen's account of a slice; its vCPUs' is elsewhere for all of a session. */
static void add_accounts(struct loaded *loaded, const struct live_slice *slice,
                         const struct waits *waits)
{
    const uint64_t from = slice->second * NS_PER_S;
    struct slots *slots = &loaded->slots;

    for ( size_t i = 0; i < slice->pcpus.count; i++ )
    {
        const struct pcpu_slice *added = table_at(&slice->pcpus, i);
        struct loaded_pcpu *pcpu = must(
            table_put(&loaded->pcpus, &added->pcpu));

        slots_add_pcpu(slots, (uint32_t)added->pcpu, from, from + added->wall,
                       added->idle);
        slots->accounted = true;
        pcpu->wall += added->wall;
        pcpu->idle += added->idle;
    }
    for ( size_t i = 0; !slots->by_pcpu && i < waits->vcpus.count; i++ )
    {
        const struct waiting_vcpu *vcpu = table_at(&waits->vcpus, i);
        struct owner_key key = {.domain = vcpu->key.domain,
                                .vcpu = vcpu->key.vcpu};
        uint32_t owner;

        memcpy(key.uuid, vcpu->key.uuid, sizeof(key.uuid));
        owner = slots_put(slots, &key);
        slots_add_running(slots, owner, from, from + vcpu->times.span,
                          vcpu->times.running);
    }
}

/* Whose time samples of a cell are of. */
static uint32_t owner_of(struct loaded *loaded, const struct cell_slice *added)
{
    const struct cell *cell = table_at(&loaded->cells, added->key.cell);
    const bool idle = cell->key.domain == DOMAIN_INDEX_IDLE;
    const struct owner_key key = {.domain = idle ? SLOTS_IDLE : SLOTS_WORK,
                                  .vcpu = cell->key.pcpu};

    return idle || loaded->slots.by_pcpu ? slots_put(&loaded->slots, &key)
                                         : added->key.owner;
}

static void add_slice_ticks(struct loaded *loaded,
                            const struct live_slice *slice)
{
    for ( size_t i = 0; i < slice->cells.count; i++ )
    {
        const struct cell_slice *added = table_at(&slice->cells, i);
        struct cell *cell = table_at(&loaded->cells, added->key.cell);
        uint32_t owner = owner_of(loaded, added);

        cell->samples += added->samples;
        cell->ticks += added->ticks;
        if ( cell_has_share(&cell->key) )
            slots_add_ticks(&loaded->slots, owner, slice->second,
                            (double)added->ticks);
    }
}

static void give_slice_time(struct loaded *loaded,
                            const struct live_slice *slice)
{
    const uint64_t slot = slots_of_second(&loaded->slots, slice->second);

    for ( size_t i = 0; i < slice->cells.count; i++ )
    {
        const struct cell_slice *added = table_at(&slice->cells, i);
        struct cell *cell = table_at(&loaded->cells, added->key.cell);
        const double time = (double)added->ticks *
                            slots_rate(&loaded->slots, owner_of(loaded, added),
                                       slot);

        if ( !cell_has_share(&cell->key) || !added->samples )
            continue;
        cell->exact += time;
        cell->square += time * time / (double)added->samples;
    }
}

/* What is shown: slices of the last seconds, or all as one. */
struct live_shown {
    const struct live_slice *slices[LIVE_SECONDS];
    const struct waits *waits[LIVE_SECONDS];
    size_t count;
    struct time_span span;
};

static void choose_slices(const struct live_window *window,
                          unsigned int seconds, const struct loaded *loaded,
                          struct live_shown *ret)
{
    ret->count = 0;
    for ( unsigned int i = 0; seconds && i < LIVE_SECONDS; i++ )
    {
        const struct live_slice *slice = &window->slices[i];

        if ( slice->second + seconds <= window->last ||
             slice->second > window->last )
            continue;
        ret->waits[ret->count] = &slice->waits;
        ret->slices[ret->count++] = slice;
    }
    ret->span.to = loaded->last;
    ret->span.from = seconds <= window->last
                         ? (window->last + 1 - seconds) * NS_PER_S
                         : 0;
    if ( seconds )
        return;
    ret->span = (struct time_span){0, loaded_since(loaded, loaded->last)};
    ret->waits[0] = &loaded->waits;
    ret->slices[ret->count++] = &window->all;
}

static void account(struct loaded *loaded, const struct live_shown *shown,
                    uint64_t width)
{
    static const struct join_rule all_apart = {.any_vcpu = false};

    loaded->slots.origin = shown->span.from / NS_PER_S;
    loaded->slots.width = width;
    loaded->slots.by_pcpu = !loaded->waits.vcpus.count;
    for ( size_t i = 0; i < shown->count; i++ )
    {
        add_accounts(loaded, shown->slices[i], shown->waits[i]);
        add_slice_ticks(loaded, shown->slices[i]);
    }
    spooled_add_ticks(&loaded->spooled, &loaded->slots);
    slots_settle(&loaded->slots, &shown->span);
    for ( size_t i = 0; i < shown->count; i++ )
        give_slice_time(loaded, shown->slices[i]);
    types_hide(loaded);
    spooled_give_time(loaded, &all_apart);
    account_time(loaded, &all_apart);
}

void live_window_enter(const struct live_window *window, unsigned int seconds,
                       struct loaded *loaded, struct live_saved *saved)
{
    struct failure ignored = {0}; /* what is wanted may come later */
    const struct table *cells = &loaded->cells;
    struct live_shown shown;

    *saved = (struct live_saved){
        .cells = must(calloc(cells->count + 1, cells->entry_size)),
        .cell_count = cells->count,
    };
    if ( cells->count )
        memcpy(saved->cells, cells->entries, cells->count * cells->entry_size);
    types_choose(loaded, "the session", &ignored);
    clear(loaded);
    choose_slices(window, seconds, loaded, &shown);
    loaded->spooled.there = (struct time_span){loaded->clocks.start,
                                               loaded->last};
    if ( seconds )
        loaded->spooled.span = shown.span;
    account(loaded, &shown, seconds ? 1 : ALL_SECONDS);
}

/* Cells that accounting added stay, with nothing in them. */
void live_window_leave(struct loaded *loaded, struct live_saved *saved)
{
    loaded->spooled.there = loaded->spooled.span = (struct time_span){
        0, UINT64_MAX};
    clear(loaded);
    memcpy(loaded->cells.entries, saved->cells,
           saved->cell_count * sizeof(*saved->cells));
    free(saved->cells);
}
