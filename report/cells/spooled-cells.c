/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spooled-cells.h"

#include "base/must.h"

#include <string.h>

#include "report/model/account.h"
#include "load-calls.h"

/* Numbers that no session gives a place. */
static uint32_t mode_place(unsigned int mode)
{
    return UINT32_MAX - mode;
}

/* Sets *ret to the number of a call of a place alone, in none of the session's
 * files. */
static void make_call(struct loader *loader, uint32_t place, uint32_t *ret)
{
    const struct xenoprof_call call = {.place = place};
    const size_t known = load_calls_known(loader);
    const unsigned int asker = loader->wanted.pruned ? ASKS_NEVER : ASKS_ALL;

    load_calls(loader, &call, known, known + 1);
    *ret = loader->calls[asker].items[known];
    for ( unsigned int i = 0; i < ASKERS; i++ )
        if ( loader->calls[i].count > known )
            loader->calls[i].count = known;
}

void spooled_make_calls(struct loader *loader)
{
    struct loaded *loaded = loader->loaded;

    if ( !loaded->spooled.rows.count ||
         !types_wants(&loaded->types, XENOPROF_TYPE_TIME) )
        return;
    for ( size_t i = 0; i < loaded->spooled.rows.count; i++ )
    {
        const struct spooled_time *row = table_at(&loaded->spooled.rows, i);
        const uint32_t number = mode_place(row->key.mode);
        uint32_t *call = &loaded->spooled_calls[row->key.mode];
        struct loaded_place *place;

        if ( *call )
            continue;
        place = loaded_put_numbered(&loaded->places, number);
        place->mode = (uint8_t)row->key.mode;
        place->name = (struct place_name){0};
        must_do(names_add(&loaded->names, SPOOLED_NAME, &place->name.image));
        must_do(names_add(&loaded->names, SPOOLED_NAME, &place->name.symbol));
        make_call(loader, number, call);
    }
}

/* What is given of a row. */
struct spooled_share {
    double time;    /* ns, */
    double samples; /* ... of so many, */
    struct time_span span;
    uint16_t pcpu;
};

/* As if each of its samples stood for as much. */
static void give(struct loaded *loaded, const struct join_rule *of,
                 const struct spooled_time *row,
                 const struct spooled_share *share)
{
    struct owner_key whose = {.domain = row->key.domain};
    struct cell_key key = {
        .place = mode_place(row->key.mode),
        .call = loaded->spooled_calls[row->key.mode],
        .vcpu = of->any_vcpu ? CELL_SEVERAL : row->key.vcpu,
        .pcpu = of->any_pcpu ? CELL_SEVERAL : share->pcpu,
        .mode = (uint8_t)row->key.mode,
        .ended = XENOPROF_ENDED_ROOT,
        .type = XENOPROF_TYPE_TIME,
    };
    const struct loaded_place *place;
    struct cell *cell;

    /* Without a call nobody asks for time. */
    if ( share->time <= 0 || !key.call )
        return;
    memcpy(whose.uuid, row->key.uuid, sizeof(whose.uuid));
    key.domain = account_domain(loaded, &whose);
    cell = must(table_put(&loaded->cells, &key));
    /* Cells have names already if a session is followed. */
    if ( loaded->cells.entry_size >= sizeof(*cell) )
    {
        place = loaded_numbered(&loaded->places, key.place);
        cell->name = &place->name;
    }
    cell->exact += share->time;
    cell->square += share->time * share->time / share->samples;
    timeline_spread(&loaded->timeline, &share->span,
                    (uint32_t)table_index(&loaded->cells, cell),
                    (uint64_t)(share->samples + 0.5));
}

static uint64_t later(uint64_t left, uint64_t right)
{
    return left > right ? left : right;
}

static uint64_t earlier(uint64_t left, uint64_t right)
{
    return left < right ? left : right;
}

/* When the samples of a row were taken, of what is wanted. */
static struct time_span row_span(const struct spooled_times *spooled,
                                 const struct spooled_time *row)
{
    const uint64_t second = row->key.second * XENOPROF_SECOND;

    return (struct time_span){
        later(second, later(spooled->there.from, spooled->span.from)),
        earlier(second + XENOPROF_SECOND,
                earlier(spooled->there.to, spooled->span.to))};
}

/* Nothing says on which pCPU its samples were taken: on all alike, until their
 * account says otherwise. */
static void give_row(struct loaded *loaded, const struct join_rule *of,
                     const struct spooled_time *row)
{
    struct slots *slots = &loaded->slots;
    const size_t pcpus = slots->by_pcpu || !of->any_pcpu ? loaded->pcpus.count
                                                         : 0;
    const double parts = pcpus ? (double)pcpus : 1;
    const double samples = (double)row->samples *
                           spooled_part(&loaded->spooled, row) / parts;

    for ( size_t i = 0; i < (pcpus ? pcpus : 1); i++ )
    {
        const struct loaded_pcpu *pcpu = pcpus ? table_at(&loaded->pcpus, i)
                                               : NULL;
        const uint16_t number = pcpu ? (uint16_t)pcpu->key.number
                                     : CELL_SEVERAL;
        const struct spooled_share share = {
            spooled_ns(&loaded->spooled, row, slots, number) / parts, samples,
            row_span(&loaded->spooled, row), number};

        give(loaded, of, row, &share);
    }
}

void spooled_give_time(struct loaded *loaded, const struct join_rule *of)
{
    for ( size_t i = 0; i < loaded->spooled.rows.count; i++ )
        give_row(loaded, of, table_at(&loaded->spooled.rows, i));
}
