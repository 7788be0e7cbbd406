/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --html=FILE: a page to explore a session, in one file that needs no other;
 * doc/page.md describes it.
 */
#include "base/scope.h"
#include "page-again.h"
#include "page-type.h"
#include "report/model/sessions.h"

#include <stdlib.h>

/* Of another type: only one is in memory beside that which the report has. */
static void put_other(const struct report *report, char *name, FILE *file)
{
    struct query query = *report->query;
    struct gathered_session gathered;
    struct report other = *report;

    query.event = name;
    other.query = &query;
    other.loaded = &gathered.loaded;
    other.stacks = &gathered.stacks;
    if ( page_again(report, &query, &gathered) )
    {
        page_file_next(name, file);
        page_type_put(&other, page_file_put_data, file);
    }
    gathered_free(&gathered);
}

/* The types that a reader can choose from, unless one was asked for: as many as
 * reading them takes few bytes, whatever a session says that it has. */
static void put_others(const struct report *report, FILE *file)
{
    const struct types *types = &report->loaded->types;
    uint64_t bytes = 0;

    for ( size_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
    {
        struct sample_type type = types->type[i];

        if ( types->wanted || !type.samples || i == types->shown )
            continue;
        bytes += session_bytes(report->path);
        if ( bytes <= PAGE_AGAIN_BYTES )
            put_other(report, type.name, file);
    }
}

static void print_html(const struct report *report, FILE *file)
{
    const struct types *types = &report->loaded->types;
    char *title SCOPE_FREE = session_title(report->name, report->loaded);

    page_file_begin(title, types_shown(types)->name, file);
    page_type_put(report, page_file_put_data, file);
    put_others(report, file);
    page_file_end(file);
}

const struct view view_html = {
    .print = print_html,
    .option = "html",
    .what = "a page to explore the session with, in a browser",
    .stacks = true,
    .times = true,
    .who = true,
    .to_file = true,
};
