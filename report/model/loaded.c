/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loaded.h"

#include "base/must.h"
#include "time-range.h"

#include <stdlib.h>
#include <string.h>

static void add_loaded_domain(struct loaded *loaded, struct domain_key key,
                              const char *name)
{
    struct loaded_domain *domain = must(table_put(&loaded->domains, &key));

    must_do(names_add(&loaded->names, name, &domain->name));
}

void loaded_init(struct loaded *loaded)
{
    memset(loaded, 0, sizeof(*loaded));
    names_init(&loaded->names);
    table_init(&loaded->domains, sizeof(struct domain_key),
               sizeof(struct loaded_domain));
    table_init(&loaded->places, sizeof(uint64_t), sizeof(struct loaded_place));
    table_init(&loaded->spots, sizeof(((struct spot *)0)->key),
               sizeof(struct spot));
    table_init(&loaded->nodes, sizeof(((struct spot_node *)0)->key),
               sizeof(struct spot_node));
    loaded->nodes.ids.close = true;
    table_init(&loaded->calls, sizeof(struct loaded_call),
               sizeof(struct loaded_call));
    table_init(&loaded->cells, sizeof(struct cell_key), sizeof(struct cell));
    table_init(&loaded->entries, sizeof(struct xenoprof_entry),
               sizeof(struct loaded_entry));
    table_init(&loaded->threads, sizeof(struct xenoprof_thread),
               sizeof(struct loaded_thread));
    table_init(&loaded->origins, sizeof(((struct loaded_origin *)NULL)->key),
               sizeof(struct loaded_origin));
    table_init(&loaded->ran, sizeof(((struct ran_thread *)NULL)->key),
               sizeof(struct ran_thread));
    table_init(&loaded->renamed, sizeof(((struct kernel_name *)NULL)->key),
               sizeof(struct kernel_name));
    table_init(&loaded->pcpus, sizeof(uint64_t), sizeof(struct loaded_pcpu));
    table_init(&loaded->rings, sizeof(uint64_t), sizeof(struct loaded_ring));
    types_init(&loaded->types);
    spooled_init(&loaded->spooled);
    waits_init(&loaded->waits);
    lengths_init(&loaded->lengths);
    exit_times_init(&loaded->exits);
    kept_init(&loaded->code);
    must_do(names_add(&loaded->names, xenoprof_mode_name(XENOPROF_MODE_USER),
                      &loaded->no_image));
    add_loaded_domain(loaded, (struct domain_key){.other = 1},
                      DOMAIN_OTHER_NAME);
    add_loaded_domain(loaded, (struct domain_key){.number = DOMAIN_NUMBER_IDLE},
                      DOMAIN_IDLE_NAME);
}

void loaded_forget_calls(struct loaded *loaded)
{
    table_free(&loaded->spots);
    table_free(&loaded->nodes);
    table_free(&loaded->calls);
}

void loaded_free(struct loaded *loaded)
{
    loaded_forget_calls(loaded);
    table_free(&loaded->domains);
    table_free(&loaded->places);
    table_free(&loaded->cells);
    table_free(&loaded->entries);
    table_free(&loaded->threads);
    table_free(&loaded->origins);
    table_free(&loaded->ran);
    table_free(&loaded->renamed);
    table_free(&loaded->pcpus);
    table_free(&loaded->rings);
    types_free(&loaded->types);
    waits_free(&loaded->waits);
    lengths_free(&loaded->lengths);
    exit_times_free(&loaded->exits);
    kept_free(&loaded->code);
    names_free(&loaded->names);
    timeline_free(&loaded->timeline);
    sample_log_free(&loaded->log);
    vector_free(&loaded->losses);
    time_rows_free(&loaded->rows);
    slots_free(&loaded->slots);
    spooled_free(&loaded->spooled);
    vector_free(&loaded->attributes);
    for ( size_t i = 0; i < DAMAGES_KEPT; i++ )
        free(loaded->damage[i]);
}

void *loaded_numbered(const struct table *table, uint64_t number)
{
    const uint64_t *key = number && number <= table->count
                              ? table_at(table, number - 1)
                              : NULL;

    return key && *key == number ? (void *)key : table_find(table, &number);
}

void *loaded_put_numbered(struct table *table, uint64_t number)
{
    void *known = loaded_numbered(table, number);

    if ( known )
        return known;
    return number == table->count + 1 ? must(table_append(table, &number))
                                      : must(table_put(table, &number));
}

uint32_t loaded_spot(struct loaded *loaded, struct loaded_place *place,
                     bool addresses)
{
    struct spot key, *spot;

    if ( place->spot )
        return place->spot;
    memset(&key, 0, sizeof(key));
    key.key.mode = place->mode;
    if ( place->mode == XENOPROF_MODE_USER && !place->name.symbol &&
         !addresses && !loaded->open )
        key.key.image = place->name.image;
    else if ( addresses || !place->name.symbol )
        key.key.place = (uint32_t)place->key.number;
    else
    {
        key.key.start = place->name.start;
        key.key.image = place->name.image;
        key.key.symbol = place->name.symbol;
    }
    spot = must(table_put(&loaded->spots, &key));
    if ( !spot->place )
        spot->place = (uint32_t)place->key.number;
    place->spot = (uint32_t)table_index(&loaded->spots, spot) + 1;
    return place->spot;
}

void loaded_expect_parent(const struct loaded *loaded, uint32_t parent)
{
    if ( parent )
        memory_expect(table_at(&loaded->nodes, parent - 1));
}

/* Those that nobody called are found by their keys. */
static uint32_t only_child(const struct loaded *loaded, uint32_t parent)
{
    const struct spot_node *above = parent
                                        ? table_at(&loaded->nodes, parent - 1)
                                        : NULL;

    return above ? above->child : TABLE_SEVERAL;
}

uint32_t loaded_expect_node(const struct loaded *loaded, uint32_t parent,
                            uint32_t spot)
{
    const struct spot_node key = {.key = {parent, spot}};

    return table_expect_only(&loaded->nodes, only_child(loaded, parent), &key);
}

uint32_t loaded_put_node(struct loaded *loaded, uint32_t parent, uint32_t spot,
                         uint32_t hash)
{
    const struct spot_node key = {.key = {parent, spot}};
    const size_t before = loaded->nodes.count;
    uint32_t none = TABLE_SEVERAL;
    struct spot_node *from = parent ? table_at(&loaded->nodes, parent - 1)
                                    : NULL;
    struct spot_node *node = must(table_put_only(
        &loaded->nodes, from ? &from->child : &none, &key, hash));

    if ( loaded->nodes.count > before )
    {
        const struct spot_node *above = parent ? table_at(&loaded->nodes,
                                                          parent - 1)
                                               : NULL;

        node->unknown = !spot || (above && above->unknown);
        node->depth = above ? (uint8_t)(above->depth + 1) : 0;
    }
    return (uint32_t)table_index(&loaded->nodes, node) + 1;
}

uint32_t loaded_node(struct loaded *loaded, uint32_t parent, uint32_t spot)
{
    return loaded_put_node(loaded, parent, spot, 0);
}

/* Returns that of a call's nodes which was made last, or NULL: of stacks that
 * are ever new that is one that no other call has. */
static struct spot_node *last_node(const struct loaded *loaded,
                                   const struct loaded_call *call)
{
    uint32_t last = 0;

    for ( unsigned int i = 0; i < XENOPROF_CHAINS; i++ )
        if ( call->key.nodes[i] > last )
            last = call->key.nodes[i];
    return last ? table_at(&loaded->nodes, last - 1) : NULL;
}

void loaded_expect_last(const struct loaded *loaded,
                        const struct loaded_call *call)
{
    memory_expect(last_node(loaded, call));
}

uint32_t loaded_expect_call(const struct loaded *loaded,
                            const struct loaded_call *call)
{
    const struct spot_node *last = last_node(loaded, call);

    return table_expect_only(&loaded->calls, last ? last->call : TABLE_SEVERAL,
                             call);
}

uint32_t loaded_put_call(struct loaded *loaded, const struct loaded_call *call,
                         uint32_t hash)
{
    struct table *calls = &loaded->calls;
    struct spot_node *last = last_node(loaded, call);
    uint32_t none = TABLE_SEVERAL;

    return (uint32_t)table_index(
               calls, must(table_put_only(calls, last ? &last->call : &none,
                                          call, hash))) +
           1;
}

uint32_t loaded_call(struct loaded *loaded, const struct loaded_call *call)
{
    return loaded_put_call(loaded, call, 0);
}

static bool node_of_threads(const struct loaded *loaded, uint32_t node)
{
    return node &&
           ((const struct spot_node *)table_at(&loaded->nodes, node - 1))
               ->threads;
}

void loaded_find_threads(struct loaded *loaded)
{
    for ( size_t i = 0; loaded->threads.count && i < loaded->nodes.count; i++ )
    {
        struct spot_node *node = table_at(&loaded->nodes, i);

        node->threads = node_of_threads(loaded, node->key.parent) ||
                        (node->key.spot &&
                         spot_of_threads(loaded, table_at(&loaded->spots,
                                                          node->key.spot - 1)));
    }
}

bool cell_of_threads(const struct loaded *loaded, const struct cell *cell)
{
    const struct loaded_call *call = cell->key.call
                                         ? table_at(&loaded->calls,
                                                    cell->key.call - 1)
                                         : NULL;
    const struct loaded_place *place;

    if ( !call )
        return false;
    for ( unsigned int i = 0; i < XENOPROF_CHAINS; i++ )
        if ( node_of_threads(loaded, call->key.nodes[i]) )
            return true;
    place = loaded_numbered(&loaded->places, call->key.place);
    return place && place->mode == XENOPROF_MODE_USER && !place->name.symbol &&
           !image_names_owner(loaded, place->name.image);
}

const char *loaded_attribute(const struct loaded *loaded, const char *key)
{
    for ( size_t i = loaded->attributes.count; i-- > 0; )
    {
        const struct attribute *attribute = &loaded->attributes.items[i];

        if ( !strcmp(names_text(&loaded->names, attribute->key), key) )
            return names_text(&loaded->names, attribute->value);
    }
    return NULL;
}

struct stack_counts loaded_stacks(const struct loaded *loaded, bool selected)
{
    struct stack_counts counts = {.samples = 0};

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        if ( cell_placeless(cell) || (selected && cell->dropped) )
            continue;
        counts.samples += cell->samples;
        if ( cell->key.called )
            counts.callers += cell->samples;
        if ( chain_is_truncated(cell->key.ended, cell->key.mode) )
            counts.truncated += cell->samples;
        else if ( cell->key.ended == XENOPROF_ENDED_MOVED )
            counts.moved += cell->samples;
        else if ( cell->key.ended != XENOPROF_ENDED_ROOT )
            counts.unknown += cell->samples;
    }
    return counts;
}

uint64_t loaded_unreadable(const struct loaded *loaded)
{
    uint64_t written = loaded->ended.read + loaded->waiting.read;
    uint64_t known = loaded->read + loaded->expired;

    for ( size_t i = 0; i < loaded->rings.count; i++ )
        written += ((struct loaded_ring *)table_at(&loaded->rings, i))->read;
    return written > known ? written - known : 0;
}

uint64_t loaded_lost(const struct loaded *loaded, unsigned int cause)
{
    uint64_t lost = loaded->counted ? loaded->counters.lost[cause] : 0;

    if ( !xenoprof_cause_is_xens(cause) )
        lost += loaded->ended.lost_daemon;
    else if ( !loaded->counted )
        lost += loaded->ended.lost[cause];
    for ( size_t i = 0; i < loaded->rings.count; i++ )
    {
        const struct loaded_ring *ring = table_at(&loaded->rings, i);

        if ( !xenoprof_cause_is_xens(cause) )
            lost += ring->lost_daemon;
        else if ( !loaded->counted )
            lost += ring->facts.lost[cause];
    }
    return lost;
}

uint64_t loaded_lost_all(const struct loaded *loaded)
{
    uint64_t lost = loaded->waiting.lost;

    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
        lost += loaded_lost(loaded, cause);
    return lost;
}

uint64_t loaded_made(const struct loaded *loaded)
{
    uint64_t known = loaded->read + loaded->expired +
                     loaded_unreadable(loaded) + loaded_lost_all(loaded);
    uint64_t made = loaded->counters.made + loaded->waiting.made;

    /* The counters of a session that is still open may be older than its
     * samples. */
    return made > known ? made : known;
}

/* A file says what it likes. */
static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* now is the sum since the session began; of a part of it, what was before the
 * part is not its cost. */
void cost_add_module(struct loaded_cost *cost, const struct time_span *span,
                     bool all, uint64_t time, uint64_t now)
{
    if ( !all && (time <= span->from || !cost->begun) )
        cost->before = now;
    cost->begun = true;
    if ( time <= span->to )
        cost->module = now > cost->before ? now - cost->before : 0;
}

void cost_add_dom0(struct loaded_cost *cost, const struct time_span *span,
                   uint64_t time, const struct xenoprof_cost *more)
{
    cost->reported = true;
    if ( time < span->from || time > span->to )
        return;
    cost->daemon = sum(cost->daemon, more->daemon);
    cost->children = sum(cost->children, more->children);
}

uint64_t cost_of_dom0(const struct loaded_cost *cost)
{
    return sum(cost->daemon, cost->children);
}

static struct vcpu_times times_of_dom0(const struct waits *waits)
{
    struct vcpu_times times = {0};

    for ( size_t i = 0; i < waits->domains.count; i++ )
    {
        const struct waiting_domain *domain = table_at(&waits->domains, i);

        if ( domain->key.domain != 0 )
            continue;
        times.running = sum(times.running, domain->times.running);
        times.runnable = sum(times.runnable, waits_ready(&domain->times));
    }
    return times;
}

uint64_t cost_on_pcpus(const struct loaded *loaded, uint64_t counted)
{
    const struct vcpu_times times = times_of_dom0(&loaded->waits);
    uint64_t all = sum(times.running, times.runnable), ran;

    if ( !all )
        return counted;
    ran = (uint64_t)((unsigned __int128)counted * times.running / all);
    return ran < times.running ? ran : times.running;
}
