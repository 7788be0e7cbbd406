/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --annotate=SYMBOL: a function's instructions with their samples.
 */
#include "annotate-rows.h"
#include "base/scope.h"
#include "report/model/domain-text.h"
#include "report/model/format.h"
#include "report/types/type-text.h"
#include "report/text/header.h"
#include "report/text/header-line.h"
#include "report/model/report.h"
#include "report/text/layout.h"

#include <inttypes.h>
#include <stdlib.h>

#define FUNCTIONS_SHOWN 10u /* if none is named */
#define HOTTEST_SHOWN   5u  /* instructions */

/* What it takes to show a function. */
struct annotation {
    const struct report *report;
    struct hits hits;
    struct code_shelf shelf;
    FILE *file;
};

static void annotation_init(struct annotation *annotation,
                            const struct report *report, FILE *file)
{
    const struct view_options *options = report->options;

    *annotation = (struct annotation){
        .report = report,
        .shelf = {.loaded = report->loaded,
                  .hits = &annotation->hits,
                  .given = (const char *const *)options->code,
                  .root = ""},
        .file = file,
    };
    hits_gather(&annotation->hits, report->loaded,
                options->argument ? options->argument : "*");
}

static void annotation_free(struct annotation *annotation)
{
    hits_free(&annotation->hits);
    code_shelf_free(&annotation->shelf);
}

/* Returns how many functions are at or above --percent-limit. */
static size_t shown(const struct annotation *annotation)
{
    const struct query *query = annotation->report->query;
    size_t all = annotation->hits.functions.count, count = 0;

    if ( !annotation->report->options->argument && all > FUNCTIONS_SHOWN )
        all = FUNCTIONS_SHOWN;
    while ( count < all &&
            percent_of(annotation->hits.sorted[count]->time,
                       annotation->hits.time_all) >= query->percent_limit )
        count++;
    return count;
}

/* "web (1)", or "web (1) 3.21%, db (2) 1.20%" if several run its kernel. */
static void show_function_domains(const struct annotation *annotation,
                                  const struct function *function)
{
    const struct hits *hits = &annotation->hits;
    const struct loaded *loaded = annotation->report->loaded;
    struct header_line line = header_line_begin(annotation->report,
                                                annotation->file);
    uint32_t number = (uint32_t)table_index(&hits->functions, function);
    size_t several = 0;

    for ( size_t i = 0; i < hits->shares.count; i++ )
    {
        const struct hit_share *share = table_at(&hits->shares, i);
        char *domain SCOPE_FREE = NULL;

        if ( share->key.function != number )
            continue;
        domain = domain_text(loaded, share->key.domain);
        header_line_add(&line, "%s%s", several++ ? ", " : "", domain);
        if ( share->time < function->time )
            header_line_add(&line, " %.2f%%",
                            percent_of(share->time, annotation->hits.time_all));
    }
    header_line_end(&line, several > 1 ? "domains" : "domain");
}

static void show_name(const struct annotation *annotation,
                      const struct function *function)
{
    const struct loaded *loaded = annotation->report->loaded;
    struct header_line line = header_line_begin(annotation->report,
                                                annotation->file);

    header_line_add(&line, "%s [%s], at 0x%" PRIx64,
                    function_symbol(loaded, function),
                    function_image(loaded, function), function->key.start);
    header_line_end(&line, "function");
    if ( function->key.mode != XENOPROF_MODE_XEN )
        show_function_domains(annotation, function);
}

static void show_sums(const struct annotation *annotation,
                      const struct function *function)
{
    struct header_line line = header_line_begin(annotation->report,
                                                annotation->file);
    const struct loaded *loaded = annotation->report->loaded;
    char *amount SCOPE_FREE = type_amount(loaded, function->time);

    header_line_add(&line, "%.2f%% of all %s, %s, %" PRIu64 " samples",
                    percent_of(function->time, annotation->hits.time_all),
                    type_whole(loaded), amount, function->samples);
    header_line_end(&line, "itself");
}

/* The hit with most time of those that come behind *last; NULL: none. */
static const struct hit *next_hottest(const struct function *function,
                                      const struct hit *last)
{
    const struct hit *best = NULL;

    for ( size_t i = 0; i < function->count; i++ )
    {
        const struct hit *hit = function->hits[i];
        bool after = !last || hit->time < last->time ||
                     (hit->time == last->time &&
                      hit->key.address > last->key.address);

        if ( after && (!best || hit->time > best->time) )
            best = hit;
    }
    return best;
}

/* "+0x4 79.61%, +0x15 15.69%": where to look in a long function. */
static void show_hottest(const struct annotation *annotation,
                         const struct function *function)
{
    struct header_line line = header_line_begin(annotation->report,
                                                annotation->file);
    const struct hit *hit = next_hottest(function, NULL);

    for ( unsigned int i = 0; i < HOTTEST_SHOWN && hit && function->time; i++ )
    {
        header_line_add(&line, "%s+0x%" PRIx64 " %.2f%%", i ? ", " : "",
                        hit->key.address - function->key.start,
                        percent_of(hit->time, function->time));
        hit = next_hottest(function, hit);
    }
    header_line_end(&line, "hottest");
}

static void show_source(const struct annotation *annotation,
                        const struct function *function,
                        const struct code *code, const char *refusal)
{
    struct header_line line = header_line_begin(annotation->report,
                                                annotation->file);
    char *words SCOPE_FREE = code_words(code, annotation->report->loaded,
                                        function, refusal);

    header_line_add(&line, "%s", words);
    header_line_end(&line, "code");
}

static void show_annotation_notes(const struct annotation *annotation,
                                  const struct annotated *rows)
{
    struct header_line line = header_line_begin(annotation->report,
                                                annotation->file);

    if ( rows->inside )
        header_line_add(&line,
                        "%" PRIu64
                        " samples fell inside of an instruction: what ran "
                        "there is not what the file has",
                        rows->inside);
    header_line_end(&line, "~");
    line = header_line_begin(annotation->report, annotation->file);
    if ( rows->outside )
        header_line_add(&line, "%" PRIu64 " samples fell behind what is shown",
                        rows->outside);
    header_line_end(&line, "rest");
}

static void show_function(struct annotation *annotation,
                          const struct function *function)
{
    const struct layout *layout = annotation->report->layout;
    struct annotated rows = {.screen = &layout->screen,
                             .width = layout->width,
                             .file = annotation->file};
    struct failure failure = {.status = STATUS_DONE};
    struct code code;

    code_find(&annotation->shelf, function, &code, &failure);
    show_name(annotation, function);
    show_sums(annotation, function);
    show_hottest(annotation, function);
    show_source(annotation, function, &code, failure.text);
    fputc('\n', annotation->file);
    annotate_rows(&rows, function, &code);
    show_annotation_notes(annotation, &rows);
    code_free(&code);
}

static void print_annotate(const struct report *report, FILE *file)
{
    struct annotation annotation;
    const struct hits *hits = &annotation.hits;
    struct profile profile;
    size_t count;

    annotation_init(&annotation, report, file);
    profile = (struct profile){.samples = hits->samples,
                               .time = hits->time,
                               .time_all = hits->time_all};
    header_print(report, &profile, file);
    fputc('\n', file);
    count = shown(&annotation);
    for ( size_t i = 0; i < count; i++ )
    {
        if ( i )
            fputc('\n', file);
        show_function(&annotation, hits->sorted[i]);
    }
    if ( count < hits->functions.count )
        fprintf(file, "%s(%zu more)\n", count ? "\n" : "",
                hits->functions.count - count);
    annotation_free(&annotation);
}

/* Given files must be those that ran.  A file may lack some of the functions,
 * but the files may not lack all. */
static enum exit_status expect_code(struct annotation *annotation,
                                    struct failure *failure)
{
    struct failure absent = {.status = STATUS_DONE};
    size_t count = shown(annotation);
    bool found = false;

    for ( size_t i = 0; i < count && !failure->status; i++ )
    {
        struct code code;

        code_find(&annotation->shelf, annotation->hits.sorted[i], &code,
                  failure);
        found = found || code.size;
        if ( failure->status && code.absent )
        {
            absent = *failure;
            failure->status = STATUS_DONE;
        }
        code_free(&code);
    }
    if ( !failure->status && !found && absent.status )
        *failure = absent;
    return failure->status;
}

static enum exit_status expect_annotate(const struct report *report,
                                        struct failure *failure)
{
    struct annotation annotation;

    annotation_init(&annotation, report, NULL);
    if ( !annotation.hits.functions.count && !report->options->argument )
        fail(failure, STATUS_NO_SYMBOL,
             "--annotate: no sample fell into a function that has a name: "
             "record for longer, or give --guest-kernel=DOM:FILE");
    else if ( !annotation.hits.functions.count )
        fail(failure, STATUS_NO_SYMBOL,
             "--annotate: no sample fell into a function \"%s\": "
             "xenopreport --percent-limit=0 lists all functions",
             report->options->argument);
    else
        expect_code(&annotation, failure);
    annotation_free(&annotation);
    return failure->status;
}

const struct view view_annotate = {
    .print = print_annotate,
    .option = "annotate",
    .argument = "SYMBOL",
    .argument_optional = true,
    .what = "a function's instructions, with their samples; of the ten hottest "
            "functions, if none is named",
    .addresses = true,
    .code = true,
    .expect = expect_annotate,
};
