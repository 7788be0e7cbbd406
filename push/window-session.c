/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows of the session that is being recorded, by its time: a window ends
 * where all samples before that are there.  The last seconds are not: they are
 * still in rings; and samples that wait for names come late, but the session
 * says of which seconds they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/scope.h"
#include "libxenoprof/session/session-attributes.h"
#include "push-body.h"
#include "report/export/export-walk.h"
#include "report/export/export.h"
#include "report/model/domain-text.h"
#include "report/model/gather.h"
#include "report/model/sessions.h"
#include "window.h"

#define NS_PER_S 1000000000ull

/* Records are in a ring for a second at most, where the daemon keeps up, and in
 * a block a second later. */
#define SETTLED (4 * NS_PER_S)

/* Among these a session says when it began. */
#define FIRST_ITEMS 4096u

#define CURRENT  "current"
#define PREVIOUS "previous" /* what became of it */

struct window_source {
    struct window_ask ask;
    const struct view *view;
};

struct window_source *window_source_open(const struct window_ask *ask,
                                         struct failure *failure)
{
    struct window_source *source = calloc(1, sizeof(*source));
    const char *file;

    if ( !source )
    {
        fail_memory(failure);
        return NULL;
    }
    source->ask = *ask;
    if ( !export_find(ask->format, &source->view, &file, failure) )
        return source;
    free(source);
    return NULL;
}

void window_source_close(struct window_source *source)
{
    free(source);
}

/* Says which session this is: when it began.  Returns false if there is none
 * that can be read, or it has not said so yet. */
static bool find_identity(const char *path, char ret[WINDOW_SESSION_MAX])
{
    struct xenoprof_handle *handle = must(xenoprof_open());
    struct xenoprof_session *session = NULL;
    struct xenoprof_item item;
    unsigned int left = FIRST_ITEMS;
    bool found = false;

    if ( !xenoprof_session_open(handle, path, &session) )
        while ( !found && left-- && !xenoprof_session_next(session, &item) )
            if ( item.kind == XENOPROF_ITEM_ATTRIBUTE &&
                 !strcmp(item.u.attribute.key, SESSION_ATTRIBUTE_BEGAN) )
            {
                snprintf(ret, WINDOW_SESSION_MAX, "%s", item.u.attribute.value);
                found = true;
            }
    xenoprof_session_close(session);
    xenoprof_close(handle);
    return found;
}

/* Returns the path of the session that comes next, malloc'ed: the one that was
 * read, until its end, which may have another name now; then the current one.
 * NULL: there is none yet. */
static char *find_session(struct window_source *source)
{
    struct window_ask *ask = &source->ask;
    char *current = must_text("%s/" CURRENT, ask->session_dir);
    char *previous = must_text("%s/" PREVIOUS, ask->session_dir);
    char *chosen = NULL;
    char identity[WINDOW_SESSION_MAX];

    if ( ask->session[0] && find_identity(previous, identity) &&
         strcmp(identity, ask->session) == 0 )
        chosen = previous;
    else if ( find_identity(current, identity) )
    {
        chosen = current;
        if ( strcmp(identity, ask->session) )
        {
            snprintf(ask->session, sizeof(ask->session), "%s", identity);
            ask->position = 0;
        }
    }
    if ( chosen != current )
        free(current);
    if ( chosen != previous )
        free(previous);
    return chosen;
}

/* Returns the beginning of the first second of which samples still wait, or
 * UINT64_MAX. */
static uint64_t first_waiting(const struct loaded *loaded)
{
    uint64_t first = UINT64_MAX;

    for ( size_t i = 0; i < loaded->spooled.rows.count; i++ )
    {
        const struct spooled_time *row = table_at(&loaded->spooled.rows, i);

        if ( row->samples > 0 && row->key.second * NS_PER_S < first )
            first = row->key.second * NS_PER_S;
    }
    return first;
}

static struct query make_query(const struct window_source *source,
                               const struct time_point *to)
{
    const struct view *view = source->view;

    return (struct query){
        .session_dir = (char *)source->ask.session_dir,
        .selection.range = {{TIME_SINCE_START, source->ask.position}, *to},
        .once = view->once,
        .needs_times = view->times,
        .needs_log = view->log,
        .needs_labels = view->labels,
        .by_address = view->frames_by_address,
        .needs_who = view->who,
        .needs_addresses = view->addresses,
        .needs_stacks = view->stacks,
        .silent = true,
    };
}

/* Reads the samples from the position to a point of time.  *span: which these
 * are, in Xen's time. */
static enum exit_status read_span(const struct window_source *source,
                                  const char *path, const struct query *query,
                                  struct gathered_session *ret,
                                  struct time_span *span,
                                  struct failure *failure)
{
    gather(ret, query, path, failure);
    if ( !failure->status && !time_range_resolve(&query->selection.range,
                                                 &ret->loaded.clocks, span) )
        *span = (struct time_span){0, 0};
    (void)source;
    return failure->status;
}

static uint64_t count_samples(const struct loaded *loaded)
{
    uint64_t samples = 0;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        if ( walk_has(cell) )
            samples += cell->samples;
    }
    return samples;
}

static void put_series(const struct window_source *source,
                       const struct query *query,
                       const struct gathered_session *gathered,
                       struct window_series *series)
{
    const struct report report = {
        .query = query,
        .loaded = &gathered->loaded,
        .stacks = &gathered->stacks,
        .name = CURRENT,
        .path = gathered->path,
    };
    char *bytes SCOPE_FREE = NULL;
    size_t size;
    FILE *file = must(open_memstream(&bytes, &size));

    source->view->print(&report, file);
    must_do(fclose(file) == 0);
    must_do(source->ask.by_domain ? push_compress(&series->bytes, bytes, size)
                                  : buffer_append(&series->bytes, bytes, size));
}

static void name_series(const struct loaded *loaded, uint32_t index,
                        struct window_series *series)
{
    const struct loaded_domain *domain = loaded_domain(loaded, index);
    const char *name = names_text(&loaded->names, domain->name);
    char uuid[UUID_TEXT];

    domain_uuid(domain, uuid);
    series->domain = name && *name ? must(strdup(name))
                                   : domain_text(loaded, index);
    series->uuid = domain->key.other || index == DOMAIN_INDEX_IDLE
                       ? NULL
                       : must(strdup(uuid));
}

/* Leaves the cells of one domain; the others are as if they were turned down.
 * Returns whether it has samples. */
static bool show_domain(struct loaded *loaded, uint32_t index,
                        const bool *dropped)
{
    bool any = false;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);

        cell->dropped = dropped[i] || cell->key.domain != index;
        any |= walk_has(cell) && cell->samples;
    }
    return any;
}

static void put_domains(const struct window_source *source,
                        const struct query *query,
                        struct gathered_session *gathered, struct window *ret)
{
    struct loaded *loaded = &gathered->loaded;
    bool *dropped SCOPE_FREE = must(
        calloc(loaded->cells.count + 1, sizeof(*dropped)));

    for ( size_t i = 0; i < loaded->cells.count; i++ )
        dropped[i] = ((struct cell *)table_at(&loaded->cells, i))->dropped;
    for ( uint32_t index = 0; index < loaded->domains.count; index++ )
    {
        struct window_series *series;

        if ( !show_domain(loaded, index, dropped) )
            continue;
        series = must(vector_add(ret));
        name_series(loaded, index, series);
        put_series(source, query, gathered, series);
    }
}

static void put_window(const struct window_source *source,
                       const struct query *query,
                       struct gathered_session *gathered,
                       const struct time_span *span, struct window *ret)
{
    const struct loaded *loaded = &gathered->loaded;
    const uint64_t end = span->to < loaded->last ? span->to : loaded->last;

    ret->samples = count_samples(loaded);
    ret->from = clocks_utc(&loaded->clocks, span->from);
    ret->to = clocks_utc(&loaded->clocks, end);
    if ( ret->samples && source->ask.by_domain )
        put_domains(source, query, gathered, ret);
    else if ( ret->samples )
        put_series(source, query, gathered, must(vector_add(ret)));
}

/* Reads up to where all is there. */
static enum exit_status read_settled(const struct window_source *source,
                                     const char *path,
                                     struct gathered_session *gathered,
                                     struct query *query,
                                     struct time_span *span,
                                     struct failure *failure)
{
    struct time_point to = {TIME_BEFORE_END, SETTLED};
    uint64_t waiting, start;

    *query = make_query(source, &to);
    if ( read_span(source, path, query, gathered, span, failure) )
        return failure->status;
    waiting = first_waiting(&gathered->loaded);
    start = gathered->loaded.clocks.start;
    if ( session_state_find(path, &gathered->loaded) != SESSION_OPEN )
        to = (struct time_point){TIME_OPEN, 0};
    else if ( waiting < span->to )
        to = (struct time_point){TIME_SINCE_START,
                                 waiting > start ? waiting - start : 0};
    else
        return STATUS_DONE;
    if ( to.kind == TIME_SINCE_START && to.ns <= source->ask.position )
    {
        span->to = span->from;
        return STATUS_DONE;
    }
    gathered_free(gathered);
    *gathered = (struct gathered_session){0};
    *query = make_query(source, &to);
    return read_span(source, path, query, gathered, span, failure);
}

static void take_settled(struct window_source *source, const char *path,
                         struct window *ret, struct failure *failure)
{
    struct gathered_session gathered = {0};
    struct query query;
    struct time_span span = {0, 0};
    const struct loaded *loaded = &gathered.loaded;

    if ( !read_settled(source, path, &gathered, &query, &span, failure) )
    {
        const bool is_all = query.selection.range.to.kind == TIME_OPEN;

        if ( span.to > span.from )
            put_window(source, &query, &gathered, &span, ret);
        if ( is_all )
            span.to = loaded->last + 1;
        if ( span.to > span.from && span.to > loaded->clocks.start )
            source->ask.position = span.to - loaded->clocks.start;
        ret->closed = is_all;
    }
    gathered_free(&gathered);
}

bool window_next(struct window_source *source, struct window *ret,
                 struct failure *failure)
{
    struct window_ask *ask = &source->ask;
    char *path SCOPE_FREE = find_session(source);

    *ret = (struct window){0};
    if ( path )
        take_settled(source, path, ret, failure);
    snprintf(ret->session, sizeof(ret->session), "%s", ask->session);
    ret->position = ask->position;
    if ( failure->status )
    {
        window_free(ret);
        return false;
    }
    /* What has become the previous one was read to its end. */
    if ( path && ret->closed && strstr(path, "/" PREVIOUS) )
    {
        ask->session[0] = '\0';
        ret->closed = false;
    }
    return true;
}
