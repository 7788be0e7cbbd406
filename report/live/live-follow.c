/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a session while it grows. */
#include "live-follow.h"

#include "base/must.h"
#include "report/model/areas.h"
#include "report/model/format.h"
#include "report/model/gather.h"
#include "report/model/load-items.h"
#include "report/model/load.h"
#include "report/model/sessions.h"
#include "report/cells/spooled-cells.h"
#include "libxenoprof/session/session-attributes.h"

#include <stdlib.h>
#include <string.h>

/* From the session's first item on. */
static enum exit_status begin_live_follow(struct live_follow *follow,
                                          struct failure *failure)
{
    enum xenoprof_status status;

    loaded_init(&follow->loaded);
    live_window_init(&follow->window);
    account_rows_init(&follow->rows);
    slots_init(&follow->loaded.slots, false);
    loader_init(&follow->loader, &follow->loaded, &follow->wanted);
    follow->loader.slots = &follow->loaded.slots;
    follow->cost_count = follow->named = 0;
    follow->loaded.open = follow->open;
    status = xenoprof_session_open(follow->handle, follow->path,
                                   &follow->session);
    if ( status )
        return load_failed(follow->handle, status, follow->path, failure);
    xenoprof_session_leaves_only(follow->session);
    follow->loader.leaves = follow->session;
    return STATUS_DONE;
}

static void end_live_follow(struct live_follow *follow)
{
    xenoprof_session_close(follow->session);
    follow->session = NULL;
    loaded_free(&follow->loaded);
    live_window_free(&follow->window);
    account_rows_free(&follow->rows);
    loader_free(&follow->loader);
}

enum exit_status live_follow_open(struct live_follow *follow,
                                  const struct query *query,
                                  const char *session, struct failure *failure)
{
    *follow = (struct live_follow){.handle = must(xenoprof_open()),
                                   .wanted = {.range = &query->selection.range,
                                              .event = query->event,
                                              .user_comms = !query->open,
                                              .thunks = query->thunks,
                                              .late = &follow->late,
                                              .kernels = &follow->kernels},
                                   .open = query->open};
    if ( session_find(query->session_dir, session, &follow->path, failure) ||
         kernels_open(&follow->kernels,
                      (const char *const *)query->guest_kernels, failure) )
        return failure->status;
    return begin_live_follow(follow, failure);
}

void live_follow_close(struct live_follow *follow)
{
    end_live_follow(follow);
    xenoprof_close(follow->handle);
    kernels_close(&follow->kernels);
    vector_free(&follow->late);
    free(follow->path);
}

static void note_cost(struct live_follow *follow, uint64_t time)
{
    if ( follow->cost_count == LIVE_SECONDS )
        memmove(follow->costs, follow->costs + 1,
                --follow->cost_count * sizeof(follow->costs[0]));
    follow->costs[follow->cost_count++] = (struct live_cost){
        time,
        follow->loaded.counters.cost +
            cost_on_pcpus(&follow->loaded, cost_of_dom0(&follow->loaded.cost))};
}

static void take_live_samples(struct live_follow *follow,
                              const struct xenoprof_item *item)
{
    const struct xenoprof_samples *samples = &item->u.samples;
    const struct loader *loader = &follow->loader;

    load_item(&follow->loader, item);
    for ( size_t i = 0; i < samples->count; i++ )
    {
        const struct owner_of *of = &loader->owners.items[samples->whos[i]];
        uint32_t owner;

        if ( loader->cells.items[i] == NO_CELL )
            continue;
        owner = slots_owner(&follow->loaded.slots, of->domain,
                            samples->who[samples->whos[i]].vcpu);
        live_window_sample(&follow->window, samples->times[i],
                           loader->cells.items[i], owner,
                           load_sample_ticks(loader, samples->whos[i]));
    }
}

static void take_item(struct live_follow *follow,
                      const struct xenoprof_item *item)
{
    struct idle_row row;

    if ( item->kind == XENOPROF_ITEM_SAMPLES )
    {
        take_live_samples(follow, item);
        return;
    }
    if ( item->kind == XENOPROF_ITEM_IDLE )
    {
        account_rows_idle(&follow->rows, item, &row);
        if ( row.from != row.to )
            live_window_idle(&follow->window, item->u.idle.pcpu, &row);
    }
    spooled_take(&follow->loaded.spooled, item);
    load_item(&follow->loader, item);
    if ( item->kind == XENOPROF_ITEM_COUNTERS )
        note_cost(follow, item->time);
    if ( item->kind == XENOPROF_ITEM_WAIT )
        live_window_wait(&follow->window, item->time, &item->u.wait);
}

static enum exit_status read_new_items(struct live_follow *follow, bool *added,
                                       struct failure *failure)
{
    struct xenoprof_item item;
    enum xenoprof_status status;

    while ( (status = xenoprof_session_next_columns(follow->session, &item)) !=
            XENOPROF_END )
    {
        *added = true;
        if ( status == XENOPROF_DAMAGED )
            follow->loaded.damages++;
        else if ( status )
            return load_failed(follow->handle, status, follow->path, failure);
        else
            take_item(follow, &item);
    }
    return STATUS_DONE;
}

enum exit_status live_follow_read(struct live_follow *follow, bool *added,
                                  struct failure *failure)
{
    struct loaded *loaded = &follow->loaded;
    const size_t late = follow->late.count;

    *added = false;
    if ( read_new_items(follow, added, failure) )
        return failure->status;
    /* Who called these is not known any more. */
    if ( follow->late.count > late )
    {
        end_live_follow(follow);
        if ( begin_live_follow(follow, failure) ||
             read_new_items(follow, added, failure) )
            return failure->status;
    }
    if ( !*added )
        return STATUS_DONE;
    spooled_make_calls(&follow->loader);
    /* Cells' names are where places are, which may be elsewhere with each new
     * one. */
    name_all_cells(loaded, &follow->kernels);
    if ( loaded->cells.count == follow->named )
        return STATUS_DONE;
    name_entries(loaded, follow->named);
    name_threads(loaded);
    areas_find(loaded);
    follow->named = loaded->cells.count;
    return STATUS_DONE;
}

/* Returns the last cost from before the window, or the first. */
static const struct live_cost *cost_before(const struct live_follow *follow,
                                           unsigned int seconds)
{
    const struct live_cost *last = &follow->costs[follow->cost_count - 1];
    size_t at = follow->cost_count - 1;

    while ( at > 0 &&
            follow->costs[at].time + (uint64_t)seconds * NS_PER_S > last->time )
        at--;
    return &follow->costs[at];
}

double live_follow_cost(const struct live_follow *follow, unsigned int seconds)
{
    const char *pcpus = loaded_attribute(&follow->loaded,
                                         SESSION_ATTRIBUTE_PCPUS);
    struct live_cost from = {follow->loaded.clocks.start, 0};
    const struct live_cost *to;
    double whole;

    if ( !follow->cost_count || !pcpus )
        return -1;
    to = &follow->costs[follow->cost_count - 1];
    if ( seconds )
        from = *cost_before(follow, seconds);
    whole = ((double)to->time - (double)from.time) * strtod(pcpus, NULL);
    return whole > 0 && to->cost >= from.cost
               ? 100 * (double)(to->cost - from.cost) / whole
               : -1;
}
