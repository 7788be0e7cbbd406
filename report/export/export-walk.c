/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export-walk.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/domain-text.h"

#include <stdlib.h>
#include <string.h>

#define AHEAD 16u /* samples for whose cells memory is asked at once */

/* As stacks has them, so that a cell's chain is its stack. */
static void put_stacks(struct export_walk *walk, const struct stacks *stacks)
{
    for ( uint32_t i = 0; i < stacks->chains.count; i++ )
    {
        const struct chain *chain = stacks_chain(stacks, i);
        struct walk_stack *to = must(vector_add(&walk->stacks));

        to->caller = chain->key.parent == CHAIN_EMPTY ? WALK_NONE
                                                      : chain->key.parent;
        to->frame = i == CHAIN_EMPTY ? WALK_NONE : chain->key.frame;
    }
}

/* A stack of one frame that is not code. */
static uint32_t put_mark(struct export_walk *walk, const char *name,
                         uint8_t area)
{
    /* No frame of a report is of that kind. */
    const struct frame_key key = {.kind = UINT8_MAX, .area = area};
    struct walk_function *function = must(table_put(&walk->functions, &key));
    struct walk_frame *frame = must(vector_add(&walk->frames));
    struct walk_stack *stack = must(vector_add(&walk->stacks));

    function->name = must(strdup(name));
    function->image = function->source = "";
    frame->function = (uint32_t)table_index(&walk->functions, function);
    frame->mapping = WALK_NONE;
    stack->caller = WALK_NONE;
    stack->frame = (uint32_t)walk->frames.count - 1;
    return (uint32_t)walk->stacks.count - 1;
}

/* Xen's own work on an idle pCPU is not idle time. */
bool walk_has(const struct cell *cell)
{
    return !cell->dropped &&
           !(cell->key.domain == DOMAIN_INDEX_IDLE && cell_placeless(cell));
}

static void find_cell_stacks(struct export_walk *walk)
{
    const struct table *cells = &walk->loaded->cells;
    const struct sample_log *log = &walk->loaded->log;

    walk->cells = must(calloc(cells->count + 1, sizeof(*walk->cells)));
    for ( size_t i = 0; i < cells->count; i++ )
    {
        const struct cell *cell = table_at(cells, i);
        uint32_t stack = cell->chain;

        if ( stack == CHAIN_EMPTY )
            stack = cell->samples ? walk->not_profiled : walk->not_sampled;
        walk->cells[i].stack = walk_has(cell) ? stack : WALK_NONE;
    }
    for ( size_t i = 0; i < log->count; i++ )
        walk->cells[log->items[i].cell].logged++;
}

void walk_init(struct export_walk *walk, const struct report *report)
{
    *walk = (struct export_walk){.loaded = report->loaded,
                                 .query = report->query};
    table_init(&walk->functions, sizeof(struct frame_key),
               sizeof(struct walk_function));
    table_init(&walk->mappings, sizeof(((struct walk_mapping *)0)->key),
               sizeof(struct walk_mapping));
    table_init(&walk->label_texts, sizeof(((struct walk_label_text *)0)->key),
               sizeof(struct walk_label_text));
    table_init(&walk->locations, sizeof(((struct walk_location *)0)->key),
               sizeof(struct walk_location));
    frame_texts_init(&walk->texts, report->loaded, report->stacks);
    walk_put_frames(walk, report->stacks);
    put_stacks(walk, report->stacks);
    walk->not_sampled = put_mark(walk, "[not sampled]", 0);
    walk->not_profiled = put_mark(walk, "[not profiled]", 1);
    find_cell_stacks(walk);
    walk->end = walk_span(walk).to;
}

void walk_free(struct export_walk *walk)
{
    for ( size_t i = 0; i < walk->functions.count; i++ )
        free((char *)walk_function(walk, (uint32_t)i)->name);
    for ( size_t i = 0; i < walk->label_texts.count; i++ )
        free(((struct walk_label_text *)table_at(&walk->label_texts, i))->text);
    table_free(&walk->functions);
    table_free(&walk->mappings);
    table_free(&walk->label_texts);
    vector_free(&walk->frames);
    vector_free(&walk->stacks);
    vector_free(&walk->located);
    table_free(&walk->locations);
    frame_texts_free(&walk->texts);
    free(walk->cells);
}

size_t walk_count(const struct export_walk *walk)
{
    return walk->loaded->log.count + walk->loaded->cells.count;
}

size_t walk_of_cell(const struct export_walk *walk, size_t index)
{
    const struct cell *cell = table_at(&walk->loaded->cells, index);
    const struct walk_cell *of = &walk->cells[index];

    if ( of->stack == WALK_NONE )
        return 0;
    return of->logged ? of->logged : cell->time || cell->samples;
}

static bool has_rest(const struct export_walk *walk, uint32_t index)
{
    return !walk->cells[index].logged && walk_of_cell(walk, index);
}

static void take_rest(const struct export_walk *walk, uint32_t index,
                      struct walk_sample *ret)
{
    const struct cell *cell = table_at(&walk->loaded->cells, index);

    *ret = (struct walk_sample){.cell = cell,
                                .stack = walk->cells[index].stack,
                                .time = walk->end,
                                .amount = cell->time,
                                .count = cell->samples};
}

bool walk_there(const struct export_walk *walk, size_t number)
{
    const uint32_t cell = walk_cell(walk, number);

    return number < walk->loaded->log.count
               ? walk->cells[cell].stack != WALK_NONE
               : has_rest(walk, cell);
}

/* Nothing is read of a logged sample's cell but its stack, which lie close
 * together: of all samples cells are all over the memory. */
void walk_take(struct export_walk *walk, size_t number, struct walk_sample *ret)
{
    const uint32_t cell = walk_cell(walk, number);

    if ( number < walk->loaded->log.count )
        *ret = (struct walk_sample){
            .cell = table_at(&walk->loaded->cells, cell),
            .stack = walk->cells[cell].stack,
            .time = walk_time(walk, number),
            .amount = walk_amount(walk, number),
            .count = 1};
    else
        take_rest(walk, cell, ret);
}

uint64_t walk_time(struct export_walk *walk, size_t number)
{
    const struct sample_log *log = &walk->loaded->log;

    return number < log->count ? sample_log_time(log, number, &walk->era)
                               : walk->end;
}

uint64_t walk_amount(const struct export_walk *walk, size_t number)
{
    const struct loaded *loaded = walk->loaded;
    const struct cell *cell;

    if ( number < loaded->log.count )
        return sample_log_amount(&loaded->log, number);
    cell = table_at(&loaded->cells, walk_cell(walk, number));
    return cell->time;
}

void walk_ahead(const struct export_walk *walk, size_t number, bool cell)
{
    const uint32_t index = walk_cell(walk, number);

    memory_expect(&walk->cells[index]);
    if ( cell )
        memory_expect(table_at(&walk->loaded->cells, index));
}

bool walk_next(struct export_walk *walk, struct walk_sample *ret)
{
    const struct sample_log *log = &walk->loaded->log;

    while ( walk->next < walk_count(walk) )
    {
        const size_t number = walk->next++;

        /* Cells do not lie in the order of time. */
        if ( number + AHEAD < log->count )
            walk_ahead(walk, number + AHEAD, true);
        if ( !walk_there(walk, number) )
            continue;
        walk_take(walk, number, ret);
        return true;
    }
    walk->next = 0;
    return false;
}

uint64_t walk_utc(const struct export_walk *walk, uint64_t time)
{
    const struct clocks *clocks = &walk->loaded->clocks;

    return clocks->utc_known ? clocks_utc(clocks, time)
                             : loaded_since(walk->loaded, time);
}

struct time_span walk_span(const struct export_walk *walk)
{
    const struct loaded *loaded = walk->loaded;
    struct time_span span = {0, UINT64_MAX};

    time_range_resolve(&walk->query->selection.range, &loaded->clocks, &span);
    if ( span.from < loaded->clocks.start )
        span.from = loaded->clocks.start;
    if ( span.from < loaded->begin )
        span.from = loaded->begin;
    if ( span.to > loaded->last )
        span.to = loaded->last;
    return span;
}
