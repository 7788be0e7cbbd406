/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load-samples.h"

#include "base/must.h"

#include <stdlib.h>
#include <string.h>

#include "report/cells/count-rows.h"
#include "report/cells/kinds.h"
#include "report/cells/count-thread.h"
#include "report/cells/load-calls.h"
#include "report/cells/own-cost.h"

#define SEEN_OF 16u /* samples of which one is counted for its domain */

void loader_init(struct loader *loader, struct loaded *loaded,
                 const struct load_wanted *wanted)
{
    *loader = (struct loader){.loaded = loaded, .wanted = *wanted, .turn = 1};
    loaded->types.wanted = wanted->event;
    table_init(&loader->whos, sizeof(struct cell_key),
               sizeof(struct loader_who));
    id_table_init(&loader->found);
    pruned_init(&loader->pruned,
                wanted->pruned ? wanted->pruned : wanted->domains.rules);
    triple_table_init(&loader->known_at[0]);
    triple_table_init(&loader->known_at[1]);
    loaded->pruned = wanted->pruned;
    loader->domain_now = must(
        calloc(DOMAIN_NUMBERS, sizeof(*loader->domain_now)));
    pruned_domains_init(&loader->domains, &loader->wanted.domains);
}

void loader_free(struct loader *loader)
{
    count_thread_stop(loader);
    free(loader->domain_now);
    table_free(&loader->whos);
    vector_free(&loader->whose);
    vector_free(&loader->owners);
    for ( unsigned int i = 0; i < ASKERS; i++ )
        vector_free(&loader->calls[i]);
    pruned_free(&loader->pruned);
    pruned_domains_free(&loader->domains);
    vector_free(&loader->known_calls);
    triple_table_clear(&loader->known_at[0]);
    triple_table_clear(&loader->known_at[1]);
    vector_free(&loader->only);
    id_table_deinit(&loader->found);
    vector_free(&loader->cells);
}

bool load_settle_span(struct loader *loader)
{
    if ( !loader->span_known )
        loader->span_known = time_range_resolve(
            loader->wanted.range, &loader->loaded->clocks, &loader->span);
    return loader->span_known;
}

/* The index of who samples belong to. */
static void find_domain(struct loader *loader, const struct xenoprof_who *who,
                        uint32_t *ret)
{
    struct domain_key key = {.number = who->domain};
    struct loaded_domain *domain;

    if ( who->domain == DOMAIN_NUMBER_IDLE )
        *ret = DOMAIN_INDEX_IDLE;
    else if ( who->marks & XENOPROF_MARK_FOREIGN )
        *ret = DOMAIN_INDEX_OTHER;
    else if ( loader->domain_now[who->domain] )
        *ret = loader->domain_now[who->domain] - 1;
    else
    {
        /* Its name was in a damaged block, or was never told. */
        domain = must(table_put(&loader->loaded->domains, &key));
        *ret = (uint32_t)table_index(&loader->loaded->domains, domain);
        loader->domain_now[who->domain] = *ret + 1;
    }
}

/* The index + 1 of why a guest had entered Xen, or 0. */
static void find_entry(struct loaded *loaded,
                       const struct xenoprof_entry *entry, uint32_t *ret)
{
    const struct loaded_entry *found;

    *ret = 0;
    if ( entry->kind == XENOPROF_ENTRY_NONE )
        return;
    found = must(table_put(&loaded->entries, entry));
    *ret = (uint32_t)table_index(&loaded->entries, found) + 1;
}

/* Whether it is asked which thread ran, or what it is called. */
static bool wants_thread(const struct load_wanted *wanted,
                         const struct xenoprof_who *who)
{
    return (wanted->threads || wanted->comms ||
            (wanted->own && comm_is_own(who->thread.comm)) ||
            (wanted->user_comms &&
             (wanted->stacks || who->mode == XENOPROF_MODE_USER))) &&
           *who->thread.comm;
}

/* The index + 1 of who ran in a guest, or 0. */
static void find_thread(struct loader *loader, const struct xenoprof_who *who,
                        uint32_t *ret)
{
    const struct load_wanted *wanted = &loader->wanted;
    struct table *threads = &loader->loaded->threads;
    const struct loaded_thread *found;
    struct xenoprof_thread named;

    *ret = 0;
    if ( !wants_thread(wanted, who) )
        return;
    memset(&named, 0, sizeof(named));
    memcpy(named.comm, who->thread.comm, sizeof(named.comm));
    if ( !wanted->threads && !wanted->comms && threads->count == COMMS_MOST &&
         !table_find(threads, &named) )
        return;
    found = must(table_put(threads, wanted->threads ? &who->thread : &named));
    *ret = (uint32_t)table_index(&loader->loaded->threads, found) + 1;
}

/* Where samples ran, if nobody asks. */
static void leave_processors_out(struct cell_key *key,
                                 const struct load_wanted *wanted)
{
    if ( wanted->any_vcpu )
        key->vcpu = CELL_SEVERAL;
    if ( wanted->any_pcpu )
        key->pcpu = CELL_SEVERAL;
}

/* Which calls are those of these samples: enum prune_asker, or ASKS_ALL. */
static uint32_t asker_of(const struct loader *loader,
                         const struct xenoprof_who *who, uint32_t domain)
{
    if ( !loader->wanted.pruned )
    {
        if ( domain <= DOMAIN_INDEX_IDLE ||
             !pruned_domains_has(&loader->domains, who->domain) )
            return ASKS_ALL;
        loaded_domain(loader->loaded, domain)->pruned = true;
    }
    return prune_asker(&loader->pruned, loader->loaded, who, domain);
}

/* Finds whom a report takes these samples to be of. */
static void find_whose(struct loader *loader, const struct xenoprof_who *from,
                       struct loader_whose *ret, struct owner_of *owner)
{
    const bool wanted = types_wants(&loader->loaded->types, from->type);
    struct loader_who *who;
    struct cell_key key;
    uint32_t domain, entry, thread;

    if ( !wanted )
        key = placeless_key(DOMAIN_INDEX_OTHER, from->pcpu, XENOPROF_MODE_XEN);
    else if ( from->mode == XENOPROF_MODE_IDLE )
        key = placeless_key(DOMAIN_INDEX_IDLE, from->pcpu, XENOPROF_MODE_IDLE);
    else
    {
        find_domain(loader, from, &domain);
        find_entry(loader->loaded, &from->entry, &entry);
        find_thread(loader, from, &thread);
        key = cell_key_of(from, domain, entry, thread);
    }
    key.type = (uint8_t)from->type;
    if ( cell_has_share(&key) )
        leave_processors_out(&key, &loader->wanted);
    if ( loader->slots )
        owner_of_who(loader->slots, from, owner);
    if ( !wanted )
        owner->units = 0;
    who = must(table_put(&loader->whos, &key));
    ret->ticks = from->count;
    ret->who = (uint32_t)table_index(&loader->whos, who);
    must_do(ret->who < 1u << CELL_WHO_BITS);
    ret->calls = wanted && from->mode != XENOPROF_MODE_IDLE &&
                         !loader->wanted.who_only
                     ? UINT32_MAX
                     : 0;
    ret->turn = loader->turn;
    ret->asker = asker_of(loader, from, key.domain);
}

/* There are as many as the file has. */
static void make_whose(struct loader *loader,
                       const struct xenoprof_samples *samples)
{
    size_t known = loader->whose.count;

    if ( samples->who_count <= known )
        return;
    must_do(vector_reserve(&loader->whose, samples->who_count - known));
    must_do(vector_reserve(&loader->owners, samples->who_count));
    memset(loader->whose.items + known, 0,
           (samples->who_count - known) * sizeof(*loader->whose.items));
    loader->whose.count = samples->who_count;
}

/* Looks at whom samples are of that were not looked at in this turn: there are
 * none most often, since all were. */
static void look_at_rows(struct loader *loader,
                         const struct xenoprof_samples *samples, size_t first,
                         size_t end)
{
    struct loader_whose *whose = loader->whose.items;
    const uint32_t *whos = samples->whos, turn = loader->turn;

    if ( loader->known_turn != turn )
        loader->known = 0;
    loader->known_turn = turn;
    for ( size_t i = first; loader->known < samples->who_count && i < end; i++ )
    {
        if ( whose[whos[i]].turn == turn )
            continue;
        find_whose(loader, &samples->who[whos[i]], &whose[whos[i]],
                   &loader->owners.items[whos[i]]);
        loader->known++;
    }
    /* Whose samples there are is known well enough by some of them. */
    for ( size_t i = first; loader->wanted.domains.rules && i < end;
          i += SEEN_OF )
        pruned_domains_saw(&loader->domains,
                           who_at(loader, whose[whos[i]].who)->cell.domain, 1);
}

/* The span is known, or can be, from the first sample's time on: the timeline
 * begins with the session, or with the part of it that is wanted. */
static void begin_samples(struct loader *loader,
                          const struct xenoprof_samples *samples)
{
    uint64_t start;

    loader->loaded->read += samples->count;
    load_note_time(loader->loaded,
                   samples->times ? samples->times[0] : samples->first);
    load_settle_span(loader);
    start = loader->loaded->clocks.start;
    timeline_begin(&loader->loaded->timeline,
                   loader->span.from > start ? loader->span.from : start);
}

/* A file begins, if it is another one: judges which domains are pruned. */
static void begin_domains(struct loader *loader, uint32_t file)
{
    pruned_domains_begin(&loader->domains, loader->loaded, loader->domain_now,
                         file);
    loader->loaded->pruned |= loader->domains.any;
}

bool load_kinds(void *argument, uint32_t file,
                const struct xenoprof_kind_node *nodes, size_t count,
                uint32_t *ret)
{
    struct loader *loader = argument;

    count_thread_end_calls(loader);
    begin_domains(loader, file);
    kinds_put(loader, nodes, count, ret);
    return true;
}

/* Numbers of calls and whos begin anew. */
static void begin_file(struct loader *loader, uint32_t file)
{
    begin_domains(loader, file);
    loader->whose.count = loader->known = 0;
    for ( unsigned int i = 0; i < ASKERS; i++ )
        loader->calls[i].count = 0;
    loader->file = file;
}

/* As load_note_time() does of each. */
static void note_times(struct loaded *loaded,
                       const struct xenoprof_samples *samples)
{
    uint64_t last = loaded->last;

    if ( !samples->times )
    {
        load_note_time(loaded, samples->last);
        return;
    }
    for ( size_t i = 0; !loaded->clocks.start && i < samples->count; i++ )
        loaded->clocks.start = samples->times[i];
    for ( size_t i = 0; i < samples->count; i++ )
        last = samples->times[i] > last ? samples->times[i] : last;
    loaded->last = last;
}

/* Returns the first sample from here on of which it is true that it is in the
 * span, or that it is not. */
static size_t find_span_edge(const struct loader *loader,
                             const struct xenoprof_samples *samples, size_t row,
                             bool in)
{
    /* Who wants some time only wants times. */
    if ( !samples->times )
        return in ? row : samples->count;
    while ( row < samples->count &&
            (samples->times[row] >= loader->span.from &&
             samples->times[row] < loader->span.to) != in )
        row++;
    return row;
}

/* Does something with all samples that are in the span. */
static void do_in_span(struct loader *loader,
                       const struct xenoprof_samples *samples,
                       void (*act)(struct loader *loader,
                                   const struct xenoprof_samples *samples,
                                   size_t first, size_t end))
{
    size_t first, end = 0;

    while ( end < samples->count )
    {
        first = find_span_edge(loader, samples, end, true);
        end = find_span_edge(loader, samples, first, false);
        act(loader, samples, first, end);
    }
}

/* Whom samples are of is looked at in any case before the next item comes: a
 * domain's number may be another's then. */
void load_samples(struct loader *loader, const struct xenoprof_samples *samples)
{
    begin_samples(loader, samples);
    note_times(loader->loaded, samples);
    if ( samples->file != loader->file )
        begin_file(loader, samples->file);
    make_whose(loader, samples);
    do_in_span(loader, samples, look_at_rows);
    if ( count_thread_takes(loader, samples) )
    {
        do_in_span(loader, samples, count_thread_add);
        count_thread_give(loader, samples);
        return;
    }
    load_calls(loader, samples->call, 0, samples->call_count);
    count_make_room(loader, samples->count);
    do_in_span(loader, samples, count_rows);
}
