/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --annotate=SYMBOL: a function's instructions with their samples.
 */
#include "annotate-rows.h"
#include "base/scope.h"
#include "report/model/domain-text.h"
#include "report/model/format.h"
#include "report/text/header.h"
#include "report/text/header-line.h"
#include "report/text/header-samples.h"
#include "report/model/report.h"
#include "report/text/layout.h"

#include <inttypes.h>
#include <stdlib.h>

/* What it takes to show a function. */
struct annotation {
    const struct report *report;
    struct hits hits;
    struct code_shelf shelf;
    FILE *file;
};

/* Returns false if there is no memory; annotation_free() in any case. */
static bool annotation_init(struct annotation *annotation,
                            const struct report *report, FILE *file)
{
    const struct view_options *options = report->options;

    *annotation = (struct annotation){
        .report = report,
        .shelf = {.loaded = report->loaded,
                  .given = (const char *const *)options->code,
                  .root = ""},
        .file = file,
    };
    return hits_gather(&annotation->hits, report->loaded, options->argument);
}

static void annotation_free(struct annotation *annotation)
{
    hits_free(&annotation->hits);
    code_shelf_free(&annotation->shelf);
}

static double percent_of(const struct annotation *annotation, uint64_t time)
{
    uint64_t all = annotation->hits.time_all;

    return all ? 100.0 * (double)time / (double)all : 0.0;
}

/* Returns how many functions are at or above --percent-limit. */
static size_t shown(const struct annotation *annotation)
{
    const struct query *query = annotation->report->query;
    size_t count = 0;

    while ( count < annotation->hits.functions.count &&
            percent_of(annotation, annotation->hits.sorted[count]->time) >=
                query->percent_limit )
        count++;
    return count;
}

static bool show_name(const struct annotation *annotation,
                      const struct function *function)
{
    const struct loaded *loaded = annotation->report->loaded;
    struct header_line line = header_line_begin(annotation->report,
                                                annotation->file);
    char *domain SCOPE_FREE = NULL;

    header_line_add(&line, "%s [%s], at 0x%" PRIx64,
                    function_symbol(loaded, function),
                    function_image(loaded, function), function->key.start);
    if ( !header_line_end(&line, "function") )
        return false;
    line = header_line_begin(annotation->report, annotation->file);
    if ( function->key.mode != XENOPROF_MODE_XEN )
    {
        domain = domain_text(loaded, function->key.domain);
        header_line_add(&line, "%s", domain ? domain : "?");
    }
    return header_line_end(&line, "domain");
}

static bool show_sums(const struct annotation *annotation,
                      const struct function *function)
{
    struct header_line line = header_line_begin(annotation->report,
                                                annotation->file);
    char *seconds SCOPE_FREE = format_seconds(function->time);

    header_line_add(&line, "%.2f%% of all pCPU time, %s, %" PRIu64 " samples",
                    percent_of(annotation, function->time),
                    seconds ? seconds : "?", function->samples);
    return header_line_end(&line, "itself");
}

static bool show_source(const struct annotation *annotation,
                        const struct function *function,
                        const struct code *code, const char *refusal)
{
    struct header_line line = header_line_begin(annotation->report,
                                                annotation->file);
    char *advice SCOPE_FREE = NULL;

    if ( *refusal )
        header_line_add(&line, "%s", refusal);
    else if ( code->running )
        header_line_add(&line, "this host's memory, as it runs now");
    else if ( code->size )
        header_line_add(&line, "%s%s", code_file_path(code->file),
                        code->checked ? ", of the build-id that ran" : "");
    else
    {
        advice = code_advice(annotation->report->loaded, function);
        header_line_add(&line, "%s", advice ? advice : "?");
    }
    return header_line_end(&line, "code");
}

static bool show_notes(const struct annotation *annotation,
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
    if ( !header_line_end(&line, "~") )
        return false;
    line = header_line_begin(annotation->report, annotation->file);
    if ( rows->outside )
        header_line_add(&line, "%" PRIu64 " samples fell behind what is shown",
                        rows->outside);
    return header_line_end(&line, "rest");
}

static bool show_code(const struct annotation *annotation,
                      const struct function *function, const struct code *code,
                      const char *refusal)
{
    const struct layout *layout = annotation->report->layout;
    struct annotated rows = {.screen = &layout->screen,
                             .width = layout->width,
                             .file = annotation->file};

    return show_name(annotation, function) && show_sums(annotation, function) &&
           show_source(annotation, function, code, refusal) &&
           fputc('\n', annotation->file) != EOF &&
           annotate_rows(&rows, function, code) &&
           show_notes(annotation, &rows);
}

static bool show_function(struct annotation *annotation,
                          const struct function *function)
{
    struct failure failure = {.status = STATUS_DONE};
    struct code code;
    bool done;

    code_find(&annotation->shelf, function, &code, &failure);
    done = show_code(annotation, function, &code, failure.text);
    code_free(&code);
    return done;
}

static bool show_all(struct annotation *annotation)
{
    size_t count = shown(annotation);
    size_t hidden = annotation->hits.functions.count - count;

    for ( size_t i = 0; i < count; i++ )
        if ( (i && fputc('\n', annotation->file) == EOF) ||
             !show_function(annotation, annotation->hits.sorted[i]) )
            return false;
    if ( hidden )
        fprintf(annotation->file, "%s(%zu more)\n", count ? "\n" : "", hidden);
    return true;
}

static bool show_header(const struct annotation *annotation)
{
    const struct report *report = annotation->report;
    const struct profile profile = {.samples = annotation->hits.samples,
                                    .time = annotation->hits.time,
                                    .time_all = annotation->hits.time_all};

    return header_print(report, &profile, annotation->file) &&
           header_focus(report, annotation->file) &&
           fputc('\n', annotation->file) != EOF;
}

static bool print_annotate(const struct report *report, FILE *file)
{
    struct annotation annotation;
    bool done = annotation_init(&annotation, report, file) &&
                show_header(&annotation) && show_all(&annotation);

    annotation_free(&annotation);
    return done;
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

    if ( !annotation_init(&annotation, report, NULL) )
        fail_memory(failure);
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
    .what = "a function's instructions, with their samples",
    .addresses = true,
    .expect = expect_annotate,
};
