/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export-bytes.h"

#include "base/must.h"
#include "base/scope.h"
#include "export-walk.h"
#include "export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct report report_of(const struct export_window *window)
{
    return (struct report){.query = &window->query,
                           .loaded = &window->session.loaded,
                           .stacks = &window->session.stacks,
                           .path = window->session.path};
}

/* What waits is in a later window. */
static void leave_out_waiting(struct loaded *loaded)
{
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);
        const char *image = names_text(&loaded->names, cell_name(cell)->image);

        cell->dropped |= !cell->samples && image &&
                         !strcmp(image, SPOOLED_NAME);
    }
}

static void note_window(struct export_window *window)
{
    const struct report report = report_of(window);
    const struct loaded *loaded = &window->session.loaded;
    struct export_walk walk;
    struct time_span span;

    walk_init(&walk, &report);
    span = walk_span(&walk);
    window->from = walk_utc(&walk, span.from);
    window->to = walk_utc(&walk, span.to);
    window->position = loaded->position;
    window->closed = session_state_find(report.path, loaded) != SESSION_OPEN;
    walk_free(&walk);
}

enum exit_status export_window_read(struct export_window *window,
                                    const char *path, const char *format,
                                    uint64_t since, struct failure *failure)
{
    char *session SCOPE_FREE = must_text("%s/", path); /* it is not a name */
    const char *file;

    *window = (struct export_window){.query = {.silent = true, .since = since}};
    if ( export_find(format, &window->view, &file, failure) )
        return failure->status;
    report_needs(&window->query, window->view);
    if ( gather(&window->session, &window->query, session, failure) )
        return failure->status;
    leave_out_waiting(&window->session.loaded);
    note_window(window);
    return STATUS_DONE;
}

void export_window_free(struct export_window *window)
{
    gathered_free(&window->session);
    query_free(&window->query);
    *window = (struct export_window){.position = 0};
}

static bool is_of(const struct cell *cell, uint32_t domain)
{
    return domain == WINDOW_ALL || cell->key.domain == domain;
}

uint64_t export_window_samples(const struct export_window *window,
                               uint32_t domain)
{
    const struct table *cells = &window->session.loaded.cells;
    uint64_t samples = 0;

    for ( size_t i = 0; i < cells->count; i++ )
    {
        const struct cell *cell = table_at(cells, i);

        if ( walk_has(cell) && is_of(cell, domain) )
            samples += cell->samples;
    }
    return samples;
}

/* Drops cells of other domains; or takes that back.  kept says which were
 * dropped before. */
static void drop_others(struct export_window *window, uint32_t domain,
                        bool *kept, bool drop)
{
    const struct table *cells = &window->session.loaded.cells;

    for ( size_t i = 0; i < cells->count; i++ )
    {
        struct cell *cell = table_at(cells, i);

        if ( drop )
            kept[i] = cell->dropped;
        cell->dropped = kept[i] || (drop && !is_of(cell, domain));
    }
}

void export_window_put(struct export_window *window, uint32_t domain,
                       struct buffer *ret)
{
    const struct report report = report_of(window);
    bool *kept SCOPE_FREE = must(
        calloc(window->session.loaded.cells.count + 1, sizeof(*kept)));
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = must(open_memstream(&bytes, &size));

    drop_others(window, domain, kept, true);
    window->view->print(&report, file);
    drop_others(window, domain, kept, false);
    must_do(!fclose(file));
    must_do(buffer_append(ret, bytes, size));
    free(bytes);
}

char *export_window_domain_name(const struct export_window *window,
                                uint32_t domain)
{
    const struct loaded *loaded = &window->session.loaded;

    return walk_labels[WALK_DOMAIN].text(loaded, domain);
}

char *export_window_domain_uuid(const struct export_window *window,
                                uint32_t domain)
{
    const struct loaded *loaded = &window->session.loaded;

    return domain > DOMAIN_INDEX_IDLE
               ? walk_labels[WALK_UUID].text(loaded, domain)
               : NULL;
}
