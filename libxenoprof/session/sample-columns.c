/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "sample-columns.h"

void sample_columns_init(struct sample_columns *columns)
{
    *columns = (struct sample_columns){.count = 0};
    table_init(&columns->who, sizeof(struct xenoprof_who),
               sizeof(struct xenoprof_who));
    table_init(&columns->nodes, sizeof(struct xenoprof_node),
               sizeof(struct xenoprof_node));
}

void sample_columns_free(struct sample_columns *columns)
{
    free(columns->times);
    table_free(&columns->who);
    table_free(&columns->nodes);
    vector_free(&columns->call);
}

void sample_columns_begin_file(struct sample_columns *columns)
{
    columns->file++;
    columns->call.count = 0;
    memset(columns->lately, 0, sizeof(columns->lately));
    table_free(&columns->who);
    table_free(&columns->nodes);
}

bool sample_columns_begin(struct sample_columns *columns, size_t room)
{
    uint64_t *times;

    columns->count = 0;
    if ( room <= columns->room )
        return true;
    /* All columns are one piece of memory. */
    times = calloc(room, sizeof(*times) + 4 * sizeof(uint32_t) +
                             2 * sizeof(uint16_t));
    if ( !times )
        return false;
    free(columns->times);
    columns->times = times;
    columns->whos = (uint32_t *)(times + room);
    columns->calls = columns->whos + room;
    columns->vcpus = columns->calls + room;
    columns->seconds = columns->vcpus + room;
    columns->on_vcpus = (uint16_t *)(columns->seconds + room);
    columns->on_pcpus = columns->on_vcpus + room;
    columns->room = room;
    return true;
}

/* Most samples are of who some other one was of just before. */
bool sample_columns_who(struct sample_columns *columns,
                        const struct xenoprof_who *who, uint32_t *ret)
{
    const struct xenoprof_who *known;
    uint64_t words[2];
    uint32_t *lately;

    _Static_assert(offsetof(struct xenoprof_who, entry) == sizeof(words),
                   "these words are all that is before the entry");
    memcpy(words, who, sizeof(words));
    words[0] += who->entry.detail + who->thread.start + who->count;
    words[1] += (uint64_t)(who->entry.code + who->thread.tid + who->type) << 32;
    lately = &columns->lately[hash_mix(words[0], words[1]) % WHO_LATELY];
    if ( *lately &&
         !memcmp(table_at(&columns->who, *lately - 1), who, sizeof(*who)) )
    {
        *ret = *lately - 1;
        return true;
    }
    known = table_put(&columns->who, who);
    if ( !known )
        return false;
    *ret = (uint32_t)table_index(&columns->who, known);
    *lately = *ret + 1;
    return true;
}

bool sample_columns_node(struct sample_columns *columns, uint32_t parent,
                         uint32_t place)
{
    const struct xenoprof_node node = {parent, place};

    return table_append(&columns->nodes, &node);
}

bool sample_columns_call(struct sample_columns *columns,
                         const struct xenoprof_call *call, uint32_t *ret)
{
    struct xenoprof_call *added = columns->call.count < UINT32_MAX - 1
                                      ? vector_add(&columns->call)
                                      : NULL;

    if ( !added )
        return false;
    *added = *call;
    *ret = (uint32_t)columns->call.count - 1;
    return true;
}

void sample_columns_range(const struct sample_columns *columns, size_t first,
                          size_t end, struct xenoprof_item *ret)
{
    ret->kind = XENOPROF_ITEM_SAMPLES;
    ret->time = 0;
    ret->u.samples = (struct xenoprof_samples){
        .count = end - first,
        .times = sample_columns_timed(columns) ? columns->times + first : NULL,
        .ticks = columns->summed ? columns->times + first : NULL,
        .first = columns->first,
        .last = columns->last,
        .seconds = columns->seconds + first,
        .second = columns->first / XENOPROF_SECOND,
        .whos = columns->whos + first,
        .calls = columns->call.count ? columns->calls + first : NULL,
        .vcpus = columns->apart ? columns->on_vcpus + first : NULL,
        .pcpus = columns->apart ? columns->on_pcpus + first : NULL,
        .who = (const struct xenoprof_who *)columns->who.entries,
        .call = columns->call.items,
        .node = (const struct xenoprof_node *)columns->nodes.entries,
        .who_count = columns->who.count,
        .call_count = columns->call.count,
        .node_count = columns->nodes.count,
        .file = columns->file,
    };
}

void sample_columns_one(const struct sample_columns *columns, size_t index,
                        struct xenoprof_item *ret)
{
    const struct xenoprof_who *who = table_at(&columns->who,
                                              columns->whos[index]);
    const struct xenoprof_call *call =
        &columns->call.items[columns->calls[index]];

    ret->kind = XENOPROF_ITEM_SAMPLE;
    ret->time = columns->times[index];
    ret->u.sample = sample_of_who(who);
    ret->u.sample.time = columns->times[index];
    ret->u.sample.place = call->place;
    ret->u.sample.stack = call->stack;
}
