/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Windows of the session that is being recorded, and of the one before it until
 * its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/scope.h"
#include "libxenoprof/session/session-attributes.h"
#include "push-body.h"
#include "report/export/export-bytes.h"
#include "report/export/export.h"
#include "window.h"

/* Among these a session says when it began. */
#define FIRST_ITEMS 4096u

#define CURRENT  "current"
#define PREVIOUS "previous" /* what became of it */

struct window_source {
    struct window_ask ask;
};

struct window_source *window_source_open(const struct window_ask *ask,
                                         struct failure *failure)
{
    struct window_source *source = calloc(1, sizeof(*source));
    const struct view *view;
    const char *file;

    if ( !source )
    {
        fail_memory(failure);
        return NULL;
    }
    source->ask = *ask;
    if ( !export_find(ask->format, &view, &file, failure) )
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

static void put_series(const struct window_source *source,
                       struct export_window *added, uint32_t domain,
                       struct window_series *series)
{
    struct buffer bytes = {0};

    export_window_put(added, domain, &bytes);
    if ( !source->ask.by_domain )
    {
        series->bytes = bytes;
        return;
    }
    must_do(push_compress(&series->bytes, bytes.bytes, bytes.used));
    buffer_free(&bytes);
}

static void put_domains(const struct window_source *source,
                        struct export_window *added, struct window *ret)
{
    for ( uint32_t i = 0; i < export_window_domains(added); i++ )
    {
        struct window_series *series;

        if ( !export_window_samples(added, i) )
            continue;
        series = must(vector_add(ret));
        series->domain = export_window_domain_name(added, i);
        series->uuid = export_window_domain_uuid(added, i);
        put_series(source, added, i, series);
    }
}

static void take_added(struct window_source *source, const char *path,
                       struct window *ret, struct failure *failure)
{
    struct window_ask *ask = &source->ask;
    struct export_window added = {.position = 0};

    if ( !export_window_read(&added, path, ask->format, ask->position,
                             failure) )
    {
        ret->samples = export_window_samples(&added, WINDOW_ALL);
        ret->from = added.from;
        ret->to = added.to;
        ret->closed = added.closed;
        if ( ret->samples && ask->by_domain )
            put_domains(source, &added, ret);
        else if ( ret->samples )
            put_series(source, &added, WINDOW_ALL, must(vector_add(ret)));
        ask->position = added.position;
    }
    export_window_free(&added);
}

bool window_next(struct window_source *source, struct window *ret,
                 struct failure *failure)
{
    struct window_ask *ask = &source->ask;
    char *path SCOPE_FREE = find_session(source);

    *ret = (struct window){0};
    if ( path )
        take_added(source, path, ret, failure);
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
