/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load-samples.h"

#include <stdlib.h>
#include <string.h>

#define RUN_LENGTH 64u /* samples whose cells are asked for at once */
#define SEEN_OF    16u /* samples of which one is counted for its domain */

/* Samples that follow each other, on their way into their cells. */
struct sample_run {
    size_t first, count;
    uint64_t pairs[RUN_LENGTH]; /* who and what they ran */
    uint32_t hashes[RUN_LENGTH];
};

bool loader_init(struct loader *loader, struct loaded *loaded,
                 const struct load_wanted *wanted)
{
    *loader = (struct loader){.loaded = loaded, .wanted = *wanted, .turn = 1};
    loaded->types.wanted = wanted->event;
    table_init(&loader->whos, sizeof(struct cell_key),
               sizeof(struct loader_who));
    pair_counts_init(&loader->counts);
    brief_init(&loader->brief,
               wanted->brief ? wanted->brief : wanted->domains.rules);
    triple_table_init(&loader->known_at[0]);
    triple_table_init(&loader->known_at[1]);
    loaded->brief = wanted->brief;
    loader->domain_now = calloc(DOMAIN_NUMBERS, sizeof(*loader->domain_now));
    loader->pcpu_at = calloc(PCPU_NUMBERS, sizeof(*loader->pcpu_at));
    return brief_domains_init(&loader->domains, &loader->wanted.domains) &&
           loader->domain_now && loader->pcpu_at;
}

void loader_free(struct loader *loader)
{
    free(loader->domain_now);
    free(loader->pcpu_at);
    table_free(&loader->whos);
    vector_free(&loader->whose);
    for ( unsigned int i = 0; i < ASKERS; i++ )
        vector_free(&loader->calls[i]);
    brief_free(&loader->brief);
    brief_domains_free(&loader->domains);
    vector_free(&loader->known_calls);
    triple_table_clear(&loader->known_at[0]);
    triple_table_clear(&loader->known_at[1]);
    pair_counts_free(&loader->counts);
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
static bool find_domain(struct loader *loader, const struct xenoprof_who *who,
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
        domain = table_put(&loader->loaded->domains, &key);
        if ( !domain )
            return false;
        *ret = (uint32_t)table_index(&loader->loaded->domains, domain);
        loader->domain_now[who->domain] = *ret + 1;
    }
    return true;
}

/* The index + 1 of why a guest had entered Xen, or 0. */
static bool find_entry(struct loaded *loaded,
                       const struct xenoprof_entry *entry, uint32_t *ret)
{
    const struct loaded_entry *found;

    *ret = 0;
    if ( entry->kind == XENOPROF_ENTRY_NONE )
        return true;
    found = table_put(&loaded->entries, entry);
    if ( found )
        *ret = (uint32_t)table_index(&loaded->entries, found) + 1;
    return found;
}

/* The index + 1 of who ran in a guest, or 0. */
static bool find_thread(struct loader *loader,
                        const struct xenoprof_thread *thread, uint32_t *ret)
{
    const struct loaded_thread *found;
    struct xenoprof_thread named;

    *ret = 0;
    if ( !(loader->wanted.threads || loader->wanted.comms) || !*thread->comm )
        return true;
    memset(&named, 0, sizeof(named));
    memcpy(named.comm, thread->comm, sizeof(named.comm));
    found = table_put(&loader->loaded->threads,
                      loader->wanted.threads ? thread : &named);
    if ( found )
        *ret = (uint32_t)table_index(&loader->loaded->threads, found) + 1;
    return found;
}

/* Whether samples of this key have a share of their pCPU's time. */
static bool has_share(const struct cell_key *key)
{
    return key->type == XENOPROF_TYPE_TIME && key->mode != XENOPROF_MODE_IDLE;
}

/* Where samples ran, if nobody asks. */
static void leave_out(struct cell_key *key, const struct load_wanted *wanted)
{
    if ( wanted->any_vcpu )
        key->vcpu = CELL_SEVERAL;
    if ( wanted->any_pcpu )
        key->pcpu = CELL_SEVERAL;
}

/* Which calls are those of these samples: enum brief_asker, or ASKS_ALL. */
static uint32_t asker_of(const struct loader *loader,
                         const struct xenoprof_who *who, uint32_t domain)
{
    if ( !loader->wanted.brief )
    {
        if ( domain <= DOMAIN_INDEX_IDLE ||
             !brief_domains_has(&loader->domains, who->domain) )
            return ASKS_ALL;
        loaded_domain(loader->loaded, domain)->brief = true;
    }
    return brief_asker(&loader->brief, loader->loaded, who, domain);
}

/* Finds whom a report takes these samples to be of. */
static bool look_up(struct loader *loader, const struct xenoprof_who *from,
                    struct loader_whose *ret)
{
    const struct xenoprof_stored sample = {.marks = from->marks,
                                           .domain = from->domain,
                                           .vcpu = from->vcpu,
                                           .pcpu = from->pcpu,
                                           .mode = from->mode,
                                           .type = (uint16_t)from->type};
    const bool wanted = types_wants(&loader->loaded->types, from->type);
    struct loader_who *who;
    struct cell_key key;
    uint32_t domain, entry, thread;

    if ( !wanted )
        key = placeless_key(DOMAIN_INDEX_OTHER, from->pcpu, XENOPROF_MODE_XEN);
    else if ( from->mode == XENOPROF_MODE_IDLE )
        key = placeless_key(DOMAIN_INDEX_IDLE, from->pcpu, XENOPROF_MODE_IDLE);
    else if ( find_domain(loader, from, &domain) &&
              find_entry(loader->loaded, &from->entry, &entry) &&
              find_thread(loader, &from->thread, &thread) )
        key = cell_key_of(&sample, domain, entry, thread);
    else
        return false;
    key.type = (uint8_t)from->type;
    if ( wanted && loader->loaded->several && has_share(&key) )
        leave_out(&key, &loader->wanted);
    who = table_put(&loader->whos, &key);
    if ( !who )
        return false;
    ret->ticks = from->count;
    if ( !who->met )
        who->ticks = ret->ticks;
    who->met = true;
    ret->more = ret->ticks - who->ticks;
    ret->pair = pair_of((uint32_t)table_index(&loader->whos, who),
                        !wanted || from->mode == XENOPROF_MODE_IDLE ? NO_CALL
                                                                    : 0);
    ret->turn = loader->turn;
    ret->asker = asker_of(loader, from, key.domain);
    return true;
}

/* There are as many as the file has. */
static bool make_whose(struct loader *loader,
                       const struct xenoprof_samples *samples)
{
    size_t known = loader->whose.count;

    if ( samples->who_count <= known )
        return true;
    if ( !vector_reserve(&loader->whose, samples->who_count - known) )
        return false;
    memset(loader->whose.items + known, 0,
           (samples->who_count - known) * sizeof(*loader->whose.items));
    loader->whose.count = samples->who_count;
    return true;
}

static const struct loader_who *who_at(const struct loader *loader,
                                       uint32_t who)
{
    return table_at(&loader->whos, who);
}

/* With the session, or with the part of it that is wanted. */
static void begin_timeline(struct loader *loader)
{
    uint64_t start = loader->loaded->clocks.start;

    timeline_begin(&loader->loaded->timeline,
                   loader->span.from > start ? loader->span.from : start);
}

/* Returns NULL if there is no memory. */
static struct cell *make_cell(struct loader *loader, uint64_t pair)
{
    struct cell_key key = who_at(loader, pair_left(pair))->cell;
    const uint32_t call = pair_right(pair);
    const struct loaded_call *ran;
    struct cell *cell;

    if ( call == NO_CALL )
        return table_put(&loader->loaded->cells, &key);
    ran = table_at(&loader->loaded->calls, call - 1);
    key.place = ran->key.place;
    key.called = ran->key.called != 0;
    key.call = call;
    cell = table_append(&loader->loaded->cells, &key);
    if ( cell && loader->loaded->several )
        cell->settled = has_share(&key);
    return cell;
}

static struct cell *cell_of(const struct loader *loader,
                            const struct pair_count *slot)
{
    return table_at(&loader->loaded->cells, slot->number - 1);
}

static void settle(const struct loader *loader, struct pair_count *slot)
{
    struct cell *cell = cell_of(loader, slot);

    cell->samples += slot->count;
    cell->ticks += slot->count * who_at(loader, pair_left(slot->pair))->ticks;
    slot->count = 0;
}

/* Looks at whom samples are of that were not looked at in this turn: there are
 * none most often, since all were.  Returns false if there is no memory. */
static bool look_up_rows(struct loader *loader,
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
        if ( !look_up(loader, &samples->who[whos[i]], &whose[whos[i]]) )
            return false;
        loader->known++;
    }
    return true;
}

/* Asks for the memory of what says whom the run is of. */
static void expect_whose(const struct loader *loader,
                         const struct sample_run *run,
                         const struct xenoprof_samples *samples)
{
    const uint32_t *whos = samples->whos + run->first;

    for ( size_t i = 0; i < run->count; i++ )
        memory_expect(&loader->whose.items[whos[i]]);
}

/* Finds whom the run is of and what they ran, and asks for the memory of their
 * counts.  Returns whether some stand for more than most of their who's do. */
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
    {
        const struct loader_whose *of = &whose[whos[i]];

        run->pairs[i] = of->pair | pair_of(0, known[of->asker][calls[i]]);
        run->hashes[i] = pair_expect(&counts, run->pairs[i]);
        more |= of->more;
    }
    return more;
}

/* Returns the count of a pair that is not in its first slot, or NULL if there
 * is no memory. */
static struct pair_count *find_slot(struct loader *loader, uint64_t pair,
                                    uint32_t hash)
{
    struct pair_count *slot = pair_find(&loader->counts, pair, hash);
    const struct cell *cell = slot ? NULL : make_cell(loader, pair);

    if ( !cell )
        return slot;
    return pair_add(&loader->counts, pair,
                    (uint32_t)table_index(&loader->loaded->cells, cell));
}

/* Returns false if there is no memory. */
static bool count_run(struct loader *loader, const struct sample_run *run)
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
        if ( !slot )
            return false;
        if ( ++slot->count == UINT32_MAX )
            settle(loader, slot);
        cells[i] = slot->number - 1;
    }
    return true;
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

/* Samples get their share of time later, when that of their pCPUs is known.
 * Returns false if there is no memory. */
static bool put_unsettled(struct loader *loader, const struct sample_run *run,
                          const struct xenoprof_samples *samples)
{
    const struct loader_whose *whose = loader->whose.items;
    struct unsettled *to;

    if ( !vector_reserve(&loader->loaded->unsettled, run->count) )
        return false;
    to = loader->loaded->unsettled.items + loader->loaded->unsettled.count;
    for ( size_t i = run->first; i < run->first + run->count; i++ )
    {
        const struct loader_whose *of = &whose[samples->whos[i]];
        const struct xenoprof_who *who = &samples->who[samples->whos[i]];

        if ( pair_right(of->pair) == NO_CALL ||
             who->type != XENOPROF_TYPE_TIME )
            continue;
        *to++ = (struct unsettled){
            .ticks = of->ticks,
            .ran = {.domain = who_at(loader, pair_left(of->pair))->cell.domain,
                    .vcpu = samples->vcpus ? samples->vcpus[i] : who->vcpu,
                    .pcpu = samples->pcpus ? samples->pcpus[i] : who->pcpu},
            .cell = loader->cells.items[i],
        };
    }
    loader->loaded->unsettled.count = (size_t)(to -
                                               loader->loaded->unsettled.items);
    return true;
}

/* Returns false if there is no memory. */
static bool put_timeline(struct loader *loader, const struct sample_run *run,
                         const struct xenoprof_samples *samples)
{
    for ( size_t i = run->first; i < run->first + run->count; i++ )
        if ( !timeline_add(&loader->loaded->timeline, samples->times[i],
                           loader->cells.items[i]) )
            return false;
    return true;
}

/* Whose samples there are is known well enough by some of them. */
static bool see_domains(struct loader *loader, const struct sample_run *run,
                        const struct xenoprof_samples *samples)
{
    const uint32_t *whos = samples->whos + run->first;

    for ( size_t i = 0; i < run->count; i += SEEN_OF )
    {
        const uint64_t pair = loader->whose.items[whos[i]].pair;

        if ( !brief_domains_saw(&loader->domains,
                                who_at(loader, pair_left(pair))->cell.domain,
                                1) )
            return false;
    }
    return true;
}

/* Samples from first to end are in the span.  Returns false if there is no
 * memory. */
static bool load_rows(struct loader *loader,
                      const struct xenoprof_samples *samples, size_t first,
                      size_t end)
{
    struct sample_run run;
    bool done = look_up_rows(loader, samples, first, end);

    for ( run.first = first; done && run.first < end; run.first += run.count )
    {
        bool more;

        run.count = end - run.first < RUN_LENGTH ? end - run.first : RUN_LENGTH;
        expect_whose(loader, &run, samples);
        more = expect_run(loader, &run, samples);
        done = count_run(loader, &run);
        if ( done && more )
            add_more(loader, &run, samples);
        done = done &&
               (!loader->wanted.domains.rules ||
                see_domains(loader, &run, samples)) &&
               (!loader->loaded->several ||
                put_unsettled(loader, &run, samples)) &&
               (!loader->loaded->timeline.wanted ||
                put_timeline(loader, &run, samples));
    }
    return done;
}

bool load_find_again(struct loader *loader, uint32_t cell)
{
    struct cell_key key =
        ((const struct cell *)table_at(&loader->loaded->cells, cell))->key;
    const uint32_t call = key.call ? key.call : NO_CALL;
    const struct loader_who *who;

    key.place = key.call = key.called = 0;
    who = table_put(&loader->whos, &key);
    return who &&
           pair_add(&loader->counts,
                    pair_of((uint32_t)table_index(&loader->whos, who), call),
                    cell);
}

void load_settle_cells(struct loader *loader)
{
    struct pair_count *slots = loader->counts.slots;

    for ( size_t i = 0; slots && i <= loader->counts.mask; i++ )
        if ( slots[i].count )
            settle(loader, &slots[i]);
}

static bool in_span(const struct loader *loader, uint64_t time)
{
    return time >= loader->span.from && time < loader->span.to;
}

/* The span is known, or can be, from the first sample's time on. */
static void begin(struct loader *loader, const struct xenoprof_samples *samples)
{
    loader->loaded->read += samples->count;
    load_note_time(loader->loaded,
                   samples->times ? samples->times[0] : samples->first);
    load_settle_span(loader);
    begin_timeline(loader);
}

void load_begin_domains(struct loader *loader, uint32_t file)
{
    brief_domains_begin(&loader->domains, loader->loaded, loader->domain_now,
                        file);
    loader->loaded->brief |= loader->domains.any;
}

/* Numbers of calls and whos begin anew. */
static void begin_file(struct loader *loader, uint32_t file)
{
    load_begin_domains(loader, file);
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
static size_t find_row(const struct loader *loader,
                       const struct xenoprof_samples *samples, size_t row,
                       bool in)
{
    /* Who wants some time only wants times. */
    if ( !samples->times )
        return in ? row : samples->count;
    while ( row < samples->count && in_span(loader, samples->times[row]) != in )
        row++;
    return row;
}

static bool make_room(struct loader *loader, size_t count)
{
    loader->cells.count = 0;
    if ( !vector_reserve(&loader->cells, count) )
        return false;
    loader->cells.count = count;
    return true;
}

bool load_samples(struct loader *loader, const struct xenoprof_samples *samples)
{
    size_t first, end = 0;

    begin(loader, samples);
    note_times(loader->loaded, samples);
    if ( samples->file != loader->file )
        begin_file(loader, samples->file);
    if ( !load_calls(loader, samples) || !make_whose(loader, samples) ||
         !make_room(loader, samples->count) )
        return false;
    while ( end < samples->count )
    {
        first = find_row(loader, samples, end, true);
        for ( ; end < first; end++ )
            loader->cells.items[end] = NO_CELL;
        end = find_row(loader, samples, first, false);
        if ( !load_rows(loader, samples, first, end) )
            return false;
    }
    return true;
}
