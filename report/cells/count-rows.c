/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count-rows.h"

#include "base/must.h"

#include <string.h>

#define RUN_LENGTH 64u    /* samples whose cells are asked for at once */
#define CELLS_FEW  16384u /* caches hold them */

/* Samples that follow each other, on their way into their cells. */
struct sample_run {
    size_t first, count;
    uint64_t pairs[RUN_LENGTH]; /* who and what they ran */
    uint64_t ticks[RUN_LENGTH];
    uint32_t hashes[RUN_LENGTH];
};

/* Where cells are found: there is a slot in any case. */
static struct id_table slots_of(const struct loader *loader)
{
    static struct id_slot none;
    struct id_table ret = loader->found;

    if ( !ret.slots )
        ret = (struct id_table){.slots = &none, .seed = ret.seed};
    return ret;
}

/* Calls have no cell at first.  Who asks for stacks has calls of which most are
 * somebody's alone; others, and all that idle pCPUs ran, are many's. */
static void make_only_room(struct loader *loader)
{
    const size_t known = loader->only.count;
    const size_t count = loader->loaded->calls.count + 1;

    if ( count <= known )
        return;
    must_do(vector_reserve(&loader->only, count - known));
    memset(loader->only.items + known, loader->wanted.stacks ? 0 : 0xff,
           (count - known) * sizeof(*loader->only.items));
    loader->only.items[0] = TABLE_SEVERAL;
    loader->only.count = count;
}

/* Finds whom the run is of and what they ran, once the memory of all that says
 * so was asked for, and asks for that of what says which cells are theirs. */
static void expect_run(const struct loader *loader, struct sample_run *run,
                       const struct xenoprof_samples *samples)
{
    const struct id_table found = slots_of(loader);
    const struct loader_whose *whose = loader->whose.items;
    const uint32_t *const known[ASKERS] = {
        loader->calls[0].items, loader->calls[1].items, loader->calls[2].items,
        loader->calls[3].items};
    const uint32_t *whos = samples->whos + run->first;
    const uint32_t *calls = samples->calls ? samples->calls + run->first : NULL;

    for ( size_t i = 0; i < run->count; i++ )
        memory_expect(&whose[whos[i]]);
    for ( size_t i = 0; i < run->count; i++ )
    {
        const struct loader_whose *of = &whose[whos[i]];

        run->pairs[i] = pair_of(
            of->who, calls ? known[of->asker][calls[i]] & of->calls : 0);
        run->ticks[i] = of->ticks;
        run->hashes[i] = (uint32_t)hash_mix(found.seed, run->pairs[i]);
        memory_expect(&loader->only.items[pair_right(run->pairs[i])]);
    }
}

/* Returns what may be the cell of the run's sample i, and 1, or 0. */
static inline uint32_t first_cell(const struct loader *loader,
                                  const struct id_table *found,
                                  const struct sample_run *run, size_t i)
{
    const uint32_t only = loader->only.items[pair_right(run->pairs[i])];

    return only == TABLE_SEVERAL ? found->slots[run->hashes[i] & found->mask].id
                                 : only;
}

/* Asks for the memory of the cells that these are, unless all cells are few. */
static void expect_cells(const struct loader *loader,
                         const struct sample_run *run)
{
    const struct id_table found = slots_of(loader);
    const struct table *cells = &loader->loaded->cells;

    if ( cells->count <= CELLS_FEW )
        return;
    for ( size_t i = 0; i < run->count; i++ )
        if ( loader->only.items[pair_right(run->pairs[i])] == TABLE_SEVERAL )
            memory_expect(&found.slots[run->hashes[i] & found.mask]);
    for ( size_t i = 0; i < run->count; i++ )
    {
        const uint32_t id = first_cell(loader, &found, run, i);
        const struct cell *cell;

        if ( !id )
            continue;
        cell = table_at(cells, id - 1);
        memory_expect(&cell->key.call);
        memory_expect(&cell->square);
    }
}

static bool is_cell_of(const struct cell *cell, uint64_t pair)
{
    return cell->who == pair_left(pair) && cell->key.call == pair_right(pair);
}

static struct cell *make_cell(struct loader *loader, uint64_t pair)
{
    struct table *cells = &loader->loaded->cells;
    const uint32_t call = pair_right(pair);
    const struct loaded_call *ran;
    struct cell *cell;
    struct cell_key key;

    key = who_at(loader, pair_left(pair))->cell;
    if ( !call )
        cell = must(table_put(cells, &key));
    else
    {
        ran = table_at(&loader->loaded->calls, call - 1);
        key.place = ran->key.place;
        key.called = ran->key.called != 0;
        key.call = call;
        cell = must(table_append(cells, &key));
    }
    cell->who = pair_left(pair) & ((1u << CELL_WHO_BITS) - 1);
    return cell;
}

/* The only cell of a call is found like others from now on. */
static void add_only(struct loader *loader, uint32_t *only)
{
    const struct cell *cell = table_at(&loader->loaded->cells, *only - 1);
    const uint64_t pair = pair_of(cell->who, cell->key.call);

    must_do(id_table_add(&loader->found,
                         (uint32_t)hash_mix(loader->found.seed, pair), *only));
    *only = TABLE_SEVERAL;
}

/* Returns the cell of a pair, which is made if there is none. */
static struct cell *find_cell(struct loader *loader, uint64_t pair,
                              uint32_t hash)
{
    struct table *cells = &loader->loaded->cells;
    uint32_t *only = &loader->only.items[pair_right(pair)];
    const struct id_slot *slot;
    struct cell *cell;

    if ( !*only )
    {
        cell = make_cell(loader, pair);
        *only = (uint32_t)table_index(cells, cell) + 1;
        return cell;
    }
    if ( *only != TABLE_SEVERAL )
        add_only(loader, only);
    for ( slot = id_first(&loader->found, hash); slot->id;
          slot = id_after(&loader->found, slot) )
    {
        cell = table_at(cells, slot->id - 1);
        if ( slot->hash == hash && is_cell_of(cell, pair) )
            return cell;
    }
    cell = make_cell(loader, pair);
    must_do(id_table_add(&loader->found, hash,
                         (uint32_t)table_index(cells, cell) + 1));
    return cell;
}

static void count_run(struct loader *loader, const struct sample_run *run)
{
    struct table *table = &loader->loaded->cells;
    struct id_table found = slots_of(loader);
    uint32_t *cells = loader->cells.items + run->first;

    for ( size_t i = 0; i < run->count; i++ )
    {
        const uint32_t id = first_cell(loader, &found, run, i);
        struct cell *cell = id ? table_at(table, id - 1) : NULL;

        cells[i] = id - 1;
        if ( !cell || !is_cell_of(cell, run->pairs[i]) )
        {
            cell = find_cell(loader, run->pairs[i], run->hashes[i]);
            cells[i] = (uint32_t)table_index(table, cell);
            found = slots_of(loader); /* they may be more now */
        }
        cell->samples++;
        cell->ticks += run->ticks[i];
    }
}

/* Each sample has its share of what its owner has in that second; most are of
 * the owner and second that the one before is of. */
static void give_sample_time(const struct loader *loader,
                             const struct sample_run *run,
                             const struct xenoprof_samples *samples)
{
    const struct owner_of *owners = loader->owners.items;
    struct sample_log *log = &loader->loaded->log;
    struct slots *slots = loader->slots;
    struct slot *slot = &slots->none;
    uint32_t owner = 0, second = UINT32_MAX;
    double ticks = 0;

    for ( size_t i = run->first; i < run->first + run->count; i++ )
    {
        const struct owner_of *of = &owners[samples->whos[i]];
        const uint32_t now = owner_of_sample(slots, of, samples, i);
        struct cell *cell = table_at(&loader->loaded->cells,
                                     loader->cells.items[i]);
        double time;

        if ( now != owner || samples->seconds[i] != second )
        {
            slot->unseen -= ticks;
            ticks = 0;
            owner = now;
            second = samples->seconds[i];
            slot = slots_slot(slots, now,
                              slots_of_second(slots, samples->second + second));
        }
        ticks += of->units;
        time = of->units * slot->rate;
        cell->exact += time;
        cell->square += time * time;
        if ( log->wanted )
            sample_log_add(
                log, samples->times[i], loader->cells.items[i],
                of->units ? time : loader->whose.items[samples->whos[i]].ticks);
    }
    slot->unseen -= ticks;
}

static void add_moments_of(const struct loader *loader,
                           const struct sample_run *run,
                           const struct xenoprof_samples *samples)
{
    struct timeline *timeline = &loader->loaded->timeline;
    const uint32_t *cells = loader->cells.items + run->first;

    for ( size_t i = 0; i < run->count; i++ )
        timeline_expect(timeline, cells[i]);
    for ( size_t i = 0; i < run->count; i++ )
        timeline_add(timeline, samples->times[run->first + i], cells[i]);
}

void count_rows(struct loader *loader, const struct xenoprof_samples *samples,
                size_t first, size_t end)
{
    struct sample_run run;

    make_only_room(loader);
    for ( run.first = first; run.first < end; run.first += run.count )
    {
        run.count = end - run.first < RUN_LENGTH ? end - run.first : RUN_LENGTH;
        expect_run(loader, &run, samples);
        expect_cells(loader, &run);
        count_run(loader, &run);
        if ( loader->slots )
            give_sample_time(loader, &run, samples);
        if ( loader->loaded->timeline.wanted )
            add_moments_of(loader, &run, samples);
    }
}

void count_make_room(struct loader *loader, size_t count)
{
    loader->cells.count = 0;
    must_do(vector_reserve(&loader->cells, count));
    for ( size_t i = 0; i < count; i++ )
        loader->cells.items[i] = NO_CELL;
    loader->cells.count = count;
}
