/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count-rows.h"

#include "base/must.h"

#define RUN_LENGTH 64u /* samples whose cells are asked for at once */

/* Samples that follow each other, on their way into their cells. */
struct sample_run {
    size_t first, count;
    uint64_t pairs[RUN_LENGTH]; /* who and what they ran */
    uint32_t hashes[RUN_LENGTH];
};

void count_settle(const struct loader *loader, struct pair_count *slot)
{
    struct cell *cell = table_at(&loader->loaded->cells, slot->number - 1);

    cell->samples += slot->count;
    cell->ticks += slot->count * who_at(loader, pair_left(slot->pair))->ticks;
    slot->count = 0;
}

/* Finds whom the run is of and what they ran, once the memory of all that says
 * so was asked for, and asks for that of their counts.  Returns whether some
 * stand for more than most of their who's do. */
static bool expect_run(const struct loader *loader, struct sample_run *run,
                       const struct xenoprof_samples *samples)
{
    const struct pair_counts counts = loader->counts;
    const struct loader_whose *whose = loader->whose.items;
    const uint32_t *const known[ASKERS] = {
        loader->calls[0].items, loader->calls[1].items, loader->calls[2].items,
        loader->calls[3].items};
    const uint32_t *whos = samples->whos + run->first;
    const uint32_t *calls = samples->calls + run->first;
    uint64_t more = 0;

    for ( size_t i = 0; i < run->count; i++ )
        memory_expect(&whose[whos[i]]);
    for ( size_t i = 0; i < run->count; i++ )
    {
        const struct loader_whose *of = &whose[whos[i]];

        run->pairs[i] = of->pair | pair_of(0, known[of->asker][calls[i]]);
        run->hashes[i] = pair_expect(&counts, run->pairs[i]);
        more |= of->more;
    }
    return more;
}

/* Returns the count of a pair that is not in its first slot; its cell is made
 * if there is none. */
static struct pair_count *find_slot(struct loader *loader, uint64_t pair,
                                    uint32_t hash)
{
    struct pair_count *slot = pair_find(&loader->counts, pair, hash);
    struct table *cells = &loader->loaded->cells;
    const uint32_t call = pair_right(pair);
    const struct loaded_call *ran;
    const struct cell *cell;
    struct cell_key key;

    if ( slot )
        return slot;
    key = who_at(loader, pair_left(pair))->cell;
    if ( call == NO_CALL )
        cell = must(table_put(cells, &key));
    else
    {
        ran = table_at(&loader->loaded->calls, call - 1);
        key.place = ran->key.place;
        key.called = ran->key.called != 0;
        key.call = call;
        cell = must(table_append(cells, &key));
    }
    return must(
        pair_add(&loader->counts, pair, (uint32_t)table_index(cells, cell)));
}

static void count_run(struct loader *loader, const struct sample_run *run)
{
    struct pair_counts counts = loader->counts;
    uint32_t *cells = loader->cells.items + run->first;

    for ( size_t i = 0; i < run->count; i++ )
    {
        struct pair_count *slot = pair_first(&counts, run->hashes[i]);

        if ( !slot || slot->pair != run->pairs[i] || !slot->number )
        {
            slot = find_slot(loader, run->pairs[i], run->hashes[i]);
            counts = loader->counts; /* it may be larger now */
        }
        if ( ++slot->count == UINT32_MAX )
            count_settle(loader, slot);
        cells[i] = slot->number - 1;
    }
}

/* A sample that stands for more or less than most leaves its cell with the
 * difference; sums of these wrap, and are right once the cell is settled. */
static void add_more(const struct loader *loader, const struct sample_run *run,
                     const struct xenoprof_samples *samples)
{
    for ( size_t i = run->first; i < run->first + run->count; i++ )
    {
        struct cell *cell = table_at(&loader->loaded->cells,
                                     loader->cells.items[i]);

        cell->ticks += loader->whose.items[samples->whos[i]].more;
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

void count_rows(struct loader *loader, const struct xenoprof_samples *samples,
                size_t first, size_t end)
{
    struct sample_run run;

    for ( run.first = first; run.first < end; run.first += run.count )
    {
        bool more;

        run.count = end - run.first < RUN_LENGTH ? end - run.first : RUN_LENGTH;
        more = expect_run(loader, &run, samples);
        count_run(loader, &run);
        if ( more )
            add_more(loader, &run, samples);
        if ( loader->slots )
            give_sample_time(loader, &run, samples);
        for ( size_t i = run.first;
              loader->loaded->timeline.wanted && i < run.first + run.count;
              i++ )
            timeline_add(&loader->loaded->timeline, samples->times[i],
                         loader->cells.items[i]);
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
