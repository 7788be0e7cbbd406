/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse-reading.h"

#include "base/must.h"
#include "report/model/domain-text.h"
#include "report/model/format.h"

#include <stdlib.h>
#include <string.h>

void browse_reading_init(struct browse_reading *reading,
                         const struct report *first,
                         struct gathered_session *main)
{
    *reading = (struct browse_reading){
        .first = first,
        .main = main,
        .query = *first->query,
        .layout = *first->layout,
        .options = *first->options,
        .report = *first,
    };
    reading->query.silent = true;
    reading->report.query = &reading->query;
    reading->report.layout = &reading->layout;
    reading->report.options = &reading->options;
}

static void drop_own(struct browse_reading *reading)
{
    gathered_free(&reading->own);
    reading->own = (struct gathered_session){.whole = false};
    free(reading->own_time);
    reading->own_time = NULL;
}

void browse_reading_free(struct browse_reading *reading)
{
    drop_own(reading);
    vector_free(&reading->domains);
}

void browse_reading_renew(struct browse_reading *reading,
                          struct gathered_session *session)
{
    char *path = reading->main->path;

    drop_own(reading);
    /* Others have the path, too. */
    reading->main->path = NULL;
    gathered_free(reading->main);
    *reading->main = *session;
    free(reading->main->path);
    reading->main->path = path;
    *session = (struct gathered_session){.whole = false};
    reading->report.state = session_state_find(reading->main->path,
                                               &reading->main->loaded);
}

static const char *time_text(const struct selection *selection)
{
    const struct filter *filter = &selection->filters[FILTER_TIME];

    return filter->count ? filter->items[0].text : "";
}

/* Returns the session with that time, or NULL with a failure. */
static struct gathered_session *session_of_time(struct browse_reading *reading,
                                                const struct query *query,
                                                struct failure *failure)
{
    const char *wanted = time_text(&query->selection);
    struct gathered_session other = {.whole = false};

    if ( !strcmp(wanted, time_text(&reading->first->query->selection)) )
        return reading->main;
    if ( reading->own_time && !strcmp(wanted, reading->own_time) )
        return &reading->own;
    if ( gather(&other, query, reading->first->path, failure) && !other.whole )
    {
        gathered_free(&other);
        return NULL;
    }
    drop_own(reading);
    reading->own = other;
    reading->own_time = must(strdup(wanted));
    return &reading->own;
}

static void add_domain(struct browse_reading *reading, uint32_t index,
                       const struct row *row)
{
    struct browse_domain *domain = must(vector_add(&reading->domains));

    domain->index = index;
    domain->time = row->time;
    memcpy(domain->by_mode, row->time_by_mode, sizeof(domain->by_mode));
}

static void add_to_all(struct browse_domain *all, const struct row *row)
{
    all->time += row->time;
    for ( unsigned int mode = 0; mode < XENOPROF_MODES; mode++ )
        all->by_mode[mode] += row->time_by_mode[mode];
}

/* Of all domains, whichever are selected; then cells are dropped again. */
static void read_domains(struct browse_reading *reading,
                         struct gathered_session *session)
{
    const struct row none = {.samples = 0};
    struct query any = reading->query;
    struct failure ignored = {.status = STATUS_DONE};
    struct profile profile;

    any.selection = selection_copy(&reading->query.selection);
    selection_set(&any.selection, FILTER_DOMAIN, NULL, &ignored);
    gather_again(session, &any, &ignored);
    profile_by_domain(&profile, &session->loaded);
    selection_free(&any.selection);
    reading->domains.count = 0;
    reading->domains_all = profile.time_all;
    add_domain(reading, UINT32_MAX, &none);
    for ( size_t i = 0; i < profile.count; i++ )
    {
        const struct row *row = profile.sorted[i];

        add_domain(reading, (uint32_t)row->key.value[LABEL_DOMAIN], row);
        add_to_all(&reading->domains.items[0], row);
    }
    profile_free(&profile);
}

static bool is_chosen(const struct loaded *loaded, const struct filter *filter,
                      uint32_t index)
{
    for ( size_t i = 0; i < filter->count; i++ )
        if ( domain_is(loaded, index, filter->items[i].text) )
            return true;
    return false;
}

static void choose_domains(struct browse_reading *reading,
                           const struct loaded *loaded)
{
    const struct filter *filter =
        &reading->query.selection.filters[FILTER_DOMAIN];

    reading->domains.items[0].chosen = !filter->count;
    for ( size_t i = 1; i < reading->domains.count; i++ )
        reading->domains.items[i].chosen = is_chosen(
            loaded, filter, reading->domains.items[i].index);
}

enum exit_status browse_reading_take(struct browse_reading *reading,
                                     const struct browse_place *place,
                                     const struct view *view,
                                     struct failure *failure)
{
    struct query query = reading->query;
    struct gathered_session *session;
    struct failure ignored = {.status = STATUS_DONE};

    query.selection = place->selection;
    query.once = view->once;
    session = session_of_time(reading, &query, failure);
    if ( !session )
        return failure->status;
    *failure = (struct failure){.status = STATUS_DONE};
    reading->query = query;
    reading->options.argument = place->symbol;
    reading->report.loaded = &session->loaded;
    reading->report.stacks = &session->stacks;
    read_domains(reading, session);
    /* Of another time a domain may not be there: it has no samples then. */
    gather_again(session, &reading->query, &ignored);
    choose_domains(reading, &session->loaded);
    return STATUS_DONE;
}

/* Returns what is printed, of a session that has what the view needs. */
static char *print_of(const struct report *report, const struct view *view,
                      struct failure *failure)
{
    char *text = NULL;
    size_t size;
    FILE *file;

    if ( view->expect && view->expect(report, failure) )
        return NULL;
    file = must(open_memstream(&text, &size));
    view->print(report, file);
    return format_close(file, &text);
}

char *browse_reading_print(struct browse_reading *reading,
                           const struct view *view, struct failure *failure)
{
    struct gathered_session apart = {.whole = false};
    struct query query = reading->query;
    struct report report = reading->report;
    char *text = NULL;

    if ( !view->addresses && !view->code )
        return print_of(&report, view, failure);
    report_needs(&query, view);
    report.query = &query;
    report.loaded = &apart.loaded;
    report.stacks = &apart.stacks;
    if ( !gather(&apart, &query, reading->first->path, failure) )
        text = print_of(&report, view, failure);
    gathered_free(&apart);
    return text;
}

void browse_reading_times(struct browse_reading *reading,
                          struct browse_times *ret)
{
    struct gathered_session apart = {.whole = false};
    struct query query = reading->query;
    struct failure ignored = {.status = STATUS_DONE};

    query.selection = selection_copy(&reading->query.selection);
    selection_set(&query.selection, FILTER_TIME, NULL, &ignored);
    query.needs_times = true;
    query.needs_stacks = query.focus.count;
    *ret = (struct browse_times){.samples = NULL};
    gather(&apart, &query, reading->first->path, &ignored);
    if ( apart.whole )
        browse_times_init(ret, &apart.loaded);
    gathered_free(&apart);
    selection_free(&query.selection);
}
