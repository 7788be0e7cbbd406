/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gather.h"

#include "base/must.h"
#include "account.h"
#include "areas.h"
#include "base/scope.h"
#include "labels.h"
#include "load.h"
#include "sessions.h"
#include "report/cells/join-cells.h"
#include "report/cells/own-cost.h"
#include "report/entry/entry-text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READINGS 3u

/* Xen's functions that call those of hypercalls. */
static const char *const callers[] = {
    "pv_hypercall",         "hvm_hypercall",         "do_multicall",
    "pv_do_multicall_call", "hvm_do_multicall_call", "arch_do_multicall_call",
};

/* How names of functions of hypercalls begin. */
static const char *const beginnings[] = {"do_", "hvm_", "compat_"};

/* The symbol of a function of Xen's, without what a compiler added; *length is
 * how long that is.  NULL if it is not Xen's, or has none. */
static const char *xen_symbol(const struct loaded *loaded, uint32_t number,
                              size_t *length)
{
    const struct loaded_place *place = loaded_numbered(&loaded->places, number);
    const char *text;

    if ( !place || place->mode != XENOPROF_MODE_XEN || !place->name.symbol )
        return NULL;
    text = label_short_symbol(names_text(&loaded->names, place->name.symbol));
    *length = strcspn(text, ".");
    return text;
}

static bool is_hypercall_caller(const struct loaded *loaded, uint32_t place)
{
    size_t length;
    const char *symbol = xen_symbol(loaded, place, &length);

    for ( size_t i = 0; symbol && i < sizeof(callers) / sizeof(*callers); i++ )
        if ( strlen(callers[i]) == length &&
             !strncmp(symbol, callers[i], length) )
            return true;
    return false;
}

/* The name of a hypercall, from its function's; NULL if it is none. */
static char *hypercall_name(const struct loaded *loaded, uint32_t place)
{
    size_t length;
    const char *symbol = xen_symbol(loaded, place, &length);

    for ( size_t i = 0; symbol && i < sizeof(beginnings) / sizeof(*beginnings);
          i++ )
    {
        size_t begins = strlen(beginnings[i]);

        if ( length > begins && !strncmp(symbol, beginnings[i], begins) )
            return must_text(ENTRY_HYPERCALL " %.*s", (int)(length - begins),
                             symbol + begins);
    }
    return NULL;
}

/* The place of a node, and its parent; 0: none. */
static uint32_t node_place(const struct loaded *loaded, uint32_t node,
                           uint32_t *parent)
{
    const struct spot_node *at = table_at(&loaded->nodes, node - 1);
    const struct spot *spot = at->key.spot
                                  ? table_at(&loaded->spots, at->key.spot - 1)
                                  : NULL;

    *parent = at->key.parent;
    return spot ? spot->place : 0;
}

/* What hypercall a node is in, as texts: the innermost, of several in a
 * multicall the one.  Parents come before their children, so that each name is
 * looked for once, however many cells have it.  Returns texts by number, 0
 * where there is none. */
static uint32_t *name_hypercalls(struct loaded *loaded)
{
    uint32_t *texts = must(calloc(loaded->nodes.count + 1, sizeof(*texts)));
    uint32_t parent, above;

    for ( uint32_t node = 1; node <= loaded->nodes.count; node++ )
    {
        uint32_t place = node_place(loaded, node, &parent);
        char *text SCOPE_FREE = NULL;

        texts[node] = texts[parent];
        if ( parent &&
             is_hypercall_caller(loaded, node_place(loaded, parent, &above)) )
            text = hypercall_name(loaded, place);
        if ( text )
            must_do(names_add(&loaded->names, text, &texts[node]));
    }
    return texts;
}

void name_entries(struct loaded *loaded, size_t first)
{
    uint32_t *texts SCOPE_FREE = must(
        calloc(loaded->entries.count + 1, sizeof(*texts)));
    uint32_t *hypercalls SCOPE_FREE = name_hypercalls(loaded);
    uint32_t hypercall = 0;

    must_do(names_add(&loaded->names, ENTRY_HYPERCALL, &hypercall));
    for ( size_t i = 0; i < loaded->entries.count; i++ )
    {
        const struct loaded_entry *entry = table_at(&loaded->entries, i);
        char *text SCOPE_FREE = entry_text(&entry->key);

        must_do(names_add(&loaded->names, text, &texts[i]));
    }
    for ( size_t i = first; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);
        const struct loaded_call *call = cell->key.call
                                             ? table_at(&loaded->calls,
                                                        cell->key.call - 1)
                                             : NULL;

        cell->entry = cell->key.entry ? texts[cell->key.entry - 1] : 0;
        if ( call && cell->entry && cell->entry == hypercall &&
             hypercalls[call->key.nodes[0]] )
            cell->entry = hypercalls[call->key.nodes[0]];
    }
}

static void put_thread(struct loaded *loaded, const struct ran_thread *key)
{
    const size_t before = loaded->ran.count;
    struct ran_thread *ran = must(table_put(&loaded->ran, &key->key));
    const struct xenoprof_thread *thread;
    struct loaded_origin origin = {.key = {.domain = key->key.domain}};
    bool idle, many;

    if ( loaded->ran.count == before )
        return;
    thread = &((const struct loaded_thread *)table_at(&loaded->threads,
                                                      key->key.thread - 1))
                  ->key;
    /* The idle thread of a vCPU is 0, as its process; of many, none has a
     * number. */
    idle = !thread->pid && !thread->tid;
    many = idle && !strcmp(thread->comm, XENOPROF_THREAD_MANY);
    ran->pid = many ? NUMBER_UNKNOWN : thread->pid;
    ran->tid = many || (!thread->tid && !idle) ? NUMBER_UNKNOWN : thread->tid;
    origin.key.thread = *thread;
    ran->origin = table_find(&loaded->origins, &origin.key);
    must_do(names_add(&loaded->names, thread->comm, &ran->comm));
}

static struct ran_thread ran_key(const struct cell *cell)
{
    return (struct ran_thread){.key = {cell->key.thread, cell->key.domain}};
}

void name_threads(struct loaded *loaded)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);
        const struct ran_thread key = ran_key(cell);

        if ( cell->key.thread )
            put_thread(loaded, &key);
    }
    /* They stand still once all are there. */
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);
        const struct ran_thread key = ran_key(cell);

        if ( cell->key.thread )
            cell->ran = table_find(&loaded->ran, &key.key);
    }
}

/* Labels that are a thread's, and the filters of the same. */
static const struct {
    enum label label;
    enum filter_key filter;
} of_threads[] = {
    {LABEL_PID, FILTER_PID},       {LABEL_TID, FILTER_TID},
    {LABEL_COMM, FILTER_COMM},     {LABEL_EXE, FILTER_EXE},
    {LABEL_CGROUP, FILTER_CGROUP}, {LABEL_UNIT, FILTER_UNIT},
    {LABEL_POD, FILTER_POD},       {LABEL_CONTAINER, FILTER_CONTAINER},
};

/* Whether rows or filters have this label. */
static bool asks_for(const struct query *query, enum label label,
                     enum filter_key filter)
{
    return label_list_has(&query->sort, label) ||
           query->selection.filters[filter].count;
}

/* Each thread makes cells of its own. */
static bool needs_threads(const struct query *query)
{
    if ( query->needs_labels )
        return true;
    for ( size_t i = 0; i < sizeof(of_threads) / sizeof(of_threads[0]); i++ )
        if ( asks_for(query, of_threads[i].label, of_threads[i].filter) )
            return true;
    return false;
}

/* Looking at each stack for the hypercall takes a while. */
static bool needs_entries(const struct query *query)
{
    return query->needs_who || asks_for(query, LABEL_ENTRY, FILTER_ENTRY);
}

/* Returns what is asked of stacks, or NULL if they are wanted whole. */
static const struct prune_rules *prune_rules(const struct query *query)
{
    bool whole = query->focus.count || needs_entries(query) ||
                 query->needs_addresses ||
                 selection_needs_stacks(&query->selection) ||
                 query_detail(query) != FRAMES_BY_SYMBOL;

    return whole ? NULL : query->pruned;
}

/* Returns what is asked of stacks of domains that are summed up, or NULL if
 * they are wanted as all others are. */
static const struct prune_rules *small_rules(const struct query *query)
{
    const struct label_list groups = query_groups(query);
    bool all = query->pruned || query->focus.count || needs_entries(query) ||
               query->needs_addresses || query->event ||
               selection_needs_stacks(&query->selection) ||
               query_detail(query) != FRAMES_BY_SYMBOL ||
               query->normalize != NORMALIZE_TIME || !groups.count ||
               groups.label[0] != LABEL_DOMAIN || query_limit(query) <= 0;

    return all ? NULL : query->small;
}

/* Fails by whose kernel it is, then by the file, as the user gave them. */
static enum exit_status open_kernels(struct gathered_session *gathered,
                                     const struct query *query,
                                     const struct load_wanted *wanted,
                                     struct failure *failure)
{
    struct failure other = {.status = STATUS_DONE};

    if ( !kernels_open(&gathered->kernels,
                       (const char *const *)query->guest_kernels, failure) )
        return STATUS_DONE;
    if ( failure->status == STATUS_NO_KERNEL &&
         !load_session(&gathered->loaded, gathered->path, wanted, &other) &&
         kernels_expect(&gathered->loaded, &gathered->kernels, &other) )
        *failure = other;
    return failure->status;
}

static void begin_loaded(struct loaded *loaded, const struct query *query)
{
    loaded_init(loaded);
    loaded->timeline.wanted = query->needs_times;
    loaded->log.wanted = query->needs_log;
    loaded->waits.bins.wanted = query->needs_log;
    loaded->waits.vcpu_bins.wanted = query->needs_times || query->needs_waits;
    loaded->types.all = query->needs_labels && !query->one_type;
    loaded->open = query->open;
    cells_begin(loaded);
}

static uint64_t time_of_cell(const void *cells, size_t index)
{
    const struct cell *cell = table_at(cells, index);

    return cell->time;
}

/* Cells get their share of time, of which some become one then: all that comes
 * later is done for fewer.  When samples were taken is put in its order, and
 * samples have their part of what their cells have. */
static enum exit_status load_cells(struct loaded *loaded, const char *path,
                                   const struct load_wanted *wanted,
                                   struct failure *failure)
{
    const struct join_rule rule = load_join_rule(wanted);

    if ( load_session(loaded, path, wanted, failure) )
        return failure->status;
    account_time(loaded, &rule);
    join_cells_last(loaded, &rule);
    if ( loaded->timeline.wanted )
        timeline_finish(&loaded->timeline);
    sample_log_finish(&loaded->log);
    if ( loaded->log.wanted )
        sample_log_share(&loaded->log, loaded->cells.count, time_of_cell,
                         &loaded->cells);
    return STATUS_DONE;
}

/* Whether to read the session again: a domain with pruned stacks is shown, a
 * place was a thunk's before that was known, or samples are not what the file's
 * sums of them are. */
static void read_again(const struct loaded *loaded,
                       const struct load_wanted *wanted, size_t late,
                       struct shown_domains *shown, bool *again)
{
    *again = wanted->late->count > late || loaded->sums_wrong;
    if ( wanted->domains.rules )
        pruned_domains_check(loaded, wanted->domains.limit, shown, again);
}

/* Reads the session until nothing is to be read again: once, most often.  Of a
 * session that grows that may never be so, so the third time stacks are
 * whole. */
static enum exit_status load_all(struct gathered_session *gathered,
                                 const struct query *query,
                                 struct load_wanted *wanted,
                                 struct failure *failure)
{
    struct loaded *loaded = &gathered->loaded;
    struct shown_domains shown = {.items = NULL};
    bool again = true;

    wanted->kernels = &gathered->kernels;
    for ( unsigned int turn = 0; again && !failure->status && turn < READINGS;
          turn++ )
    {
        const size_t late = wanted->late->count;

        wanted->no_sums |= loaded->sums_wrong;
        if ( turn )
            loaded_free(loaded);
        if ( turn )
            begin_loaded(loaded, query);
        wanted->domains.shown = turn ? &shown : NULL;
        if ( turn + 1 == READINGS )
            wanted->domains.rules = NULL;
        again = false;
        if ( !failure->status &&
             !load_cells(loaded, gathered->path, wanted, failure) )
            read_again(loaded, wanted, late, &shown, &again);
    }
    vector_free(&shown);
    return failure->status;
}

/* Cells get what filters ask of their stacks. */
static enum exit_status select_cells(struct gathered_session *gathered,
                                     const struct query *query,
                                     struct failure *failure)
{
    const struct filter *filters = query->selection.filters;
    struct loaded *loaded = &gathered->loaded;

    if ( filters[FILTER_REASON].count )
        query->mark_reasons(&filters[FILTER_REASON], loaded, &gathered->stacks);
    if ( filters[FILTER_STACK].count )
        focus_beneath(&filters[FILTER_STACK], loaded, &gathered->stacks);
    return selection_apply(&query->selection, loaded, failure);
}

enum exit_status gather(struct gathered_session *gathered,
                        const struct query *query, const char *session,
                        struct failure *failure)
{
    struct load_wanted wanted = {
        .range = &query->selection.range,
        .event = query->event,
        .who_only = query->who_only,
        .stacks = query->needs_stacks || needs_entries(query),
        .pruned = prune_rules(query),
        .domains = {.rules = small_rules(query),
                    .limit = query_limit(query),
                    .from = query->small_from},
        .comms = query->needs_who,
        .user_comms = !query->open,
        .own = true,
        .threads = needs_threads(query),
        .any_vcpu = !asks_for(query, LABEL_VCPU, FILTER_VCPU) &&
                    !query->needs_times && !query->needs_labels,
        .any_pcpu = !asks_for(query, LABEL_PCPU, FILTER_PCPU) &&
                    !query->needs_labels,
        .thunks = query->thunks,
        .late = &gathered->late,
        .readers = query->threads,
        .silent = query->silent,
        .since = query->since,
        .first = query->first,
        .watch = query->watch,
        .addresses = query->needs_addresses ||
                     query_detail(query) == FRAMES_BY_ADDRESS,
        .code = query->needs_code,
        .lines = query->needs_lines || asks_for(query, LABEL_LINE, FILTER_LINE),
    };
    struct loaded *loaded = &gathered->loaded;

    gathered->begun = query->first;
    begin_loaded(loaded, query);
    if ( session_find(query->session_dir, session, &gathered->path, failure) ||
         open_kernels(gathered, query, &wanted, failure) ||
         load_all(gathered, query, &wanted, failure) )
        return failure->status;
    /* Chains take most memory while they are made: before what else there is
     * to know of cells. */
    if ( query->needs_stacks )
        stacks_build(&gathered->stacks, loaded, &gathered->kernels,
                     query_detail(query));
    if ( needs_entries(query) )
        name_entries(loaded, 0);
    loaded_forget_calls(loaded);
    cells_make_whole(loaded);
    if ( name_cells(loaded, &gathered->kernels, failure) )
        return failure->status;
    areas_find(loaded);
    name_threads(loaded);
    focus_apply(&query->focus, loaded, &gathered->stacks);
    own_cost_measure(loaded);
    gathered->whole = true;
    if ( focus_expect(&query->focus, loaded, failure) )
        return failure->status;
    return select_cells(gathered, query, failure);
}

enum exit_status gather_again(struct gathered_session *gathered,
                              const struct query *query,
                              struct failure *failure)
{
    struct loaded *loaded = &gathered->loaded;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
        ((struct cell *)table_at(&loaded->cells, i))->dropped = false;
    focus_apply(&query->focus, loaded, &gathered->stacks);
    return select_cells(gathered, query, failure);
}

void gathered_free(struct gathered_session *gathered)
{
    kernels_close(&gathered->kernels);
    vector_free(&gathered->late);
    stacks_free(&gathered->stacks);
    loaded_free(&gathered->loaded);
    free(gathered->path);
}
