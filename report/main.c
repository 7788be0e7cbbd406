/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xenopreport: where the time of a Xen host went.
 */
#include "base/must.h"
#include "options.h"
#include "base/memory-limit.h"
#include "base/scope.h"
#include "ending.h"
#include "explore.h"
#include "no-match.h"
#include "output.h"
#include "pager.h"
#include "report/archive/archive.h"
#include "report/import/import.h"
#include "report/live/live.h"
#include "report/model/format.h"
#include "report/model/sessions.h"
#include "report/serve/serve.h"
#include "warnings.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MEGABYTE 1000000

/* Everything that one report takes. */
struct work {
    struct options options;
    struct gathered_session session;
    struct gathered_session
        base; /* what it is compared with, if that is asked for */
    struct imported imported, imported_base; /* what other tools wrote */
    struct import_folder merged;             /* of --merge */
};

/* A page or a picture says nothing by itself. */
static void say_written(const char *path, const char *next)
{
    struct stat state;
    char *text SCOPE_FREE = NULL;

    if ( !path || lstat(path, &state) || !S_ISREG(state.st_mode) )
        return;
    text = must_text(
        "%s is written, %.*f %s: %s", path, state.st_size < MEGABYTE ? 0 : 1,
        (double)state.st_size / (state.st_size < MEGABYTE ? 1000 : MEGABYTE),
        state.st_size < MEGABYTE ? "kB" : "MB", next);
    say("", text);
}

static enum exit_status write_report(const struct options *options,
                                     const struct report *report,
                                     struct failure *failure)
{
    const struct view *view = options->view;
    void (*print)(const struct report *report,
                  FILE *file) = options->json ? view->print_json : view->print;
    struct output output;
    struct pager pager;

    pager_begin(&pager, !options->output && !options->no_pager);
    if ( pager.process )
    {
        print(report, stdout);
        pager_end(&pager);
        return failure->status;
    }
    if ( output_open(&output, options->output, options->gzip, failure) )
        return failure->status;
    print(report, output.file);
    if ( !output_close(&output, failure) )
        say_written(options->output,
                    view->opens ? view->opens : "open it in a browser");
    return failure->status;
}

static struct report make_report(const struct work *work,
                                 const struct gathered_session *gathered,
                                 const struct imported *imported)
{
    const bool before = gathered == &work->base;
    const char *name = session_name(gathered->path);

    return (struct report){
        .query = &work->options.query,
        .layout = &work->options.layout,
        .options = &work->options.views,
        .loaded = &gathered->loaded,
        .stacks = &gathered->stacks,
        .name = work->options.anonymize ? "anonymous"
                : imported->file        ? imported->file
                                        : name,
        .part = work->options.parts[!before].text,
        .path = gathered->path,
        .state = gathered->begun
                     ? SESSION_OPEN
                     : session_state_find(gathered->path, &gathered->loaded),
    };
}

/* Parts of the time that nothing was sampled in, and filters that leave nothing
 * of both sessions where there are two, say so. */
static enum exit_status expect_samples(struct work *work,
                                       struct failure *failure)
{
    const struct selection *selection = &work->options.query.selection;
    const char *before = work->options.parts[0].text,
               *after = work->options.parts[1].text;

    if ( before &&
         (part_expect(&work->base.loaded, "--before", before, failure) ||
          part_expect(&work->session.loaded, "--after", after, failure)) )
        return failure->status;
    if ( work->options.view->accounts ||
         !selection_is_empty(&work->session.loaded, selection) ||
         (work->options.base &&
          !selection_is_empty(&work->base.loaded, selection)) )
        return STATUS_DONE;
    return selection_fail_empty(&work->session.loaded, selection, failure);
}

static enum exit_status show(struct work *work, struct failure *failure)
{
    const struct view *view = work->options.view;
    struct report report = make_report(work, &work->session, &work->imported),
                  base;
    enum exit_status status;

    if ( work->options.base )
    {
        base = make_report(work, &work->base,
                           work->options.same ? &work->imported
                                              : &work->imported_base);
        report.base = &base;
        /* Two sessions of one name are called by their paths, copies by their
         * order. */
        if ( work->options.anonymize && !work->options.same )
        {
            report.name = "after";
            base.name = "before";
        }
        else if ( !work->options.same && !strcmp(report.name, base.name) )
        {
            report.name = work->imported.file ? report.name
                                              : work->session.path;
            base.name = work->imported_base.file ? base.name : work->base.path;
        }
    }
    if ( expect_samples(work, failure) ||
         (view->expect && view->expect(&report, failure)) )
        return failure->status;
    if ( work->options.explore )
        explore(&report, &work->session, work->options.words, failure);
    else
        write_report(&work->options, &report, failure);
    if ( failure->status )
        return failure->status;
    if ( work->session.begun )
        return STATUS_DONE;
    status = warn_of_session(&work->session);
    if ( work->options.base && !work->options.same &&
         warn_of_session(&work->base) )
        status = STATUS_DAMAGED;
    return status;
}

/* What the session is asked for: of two, both are of one type. */
static struct query session_query(struct work *work)
{
    struct query query = work->options.query;
    struct sample_type *type;

    if ( !work->options.base || query.event )
        return query;
    type = &work->base.loaded.types.type[work->base.loaded.types.shown];
    if ( type->samples )
        query.event = type->name;
    return query;
}

/* Of a long session that is explored the rest is read while its beginning is
 * shown, if there is something to show. */
static void gather_first(struct work *work)
{
    const struct options *options = &work->options;
    struct query query = options->query;
    struct failure ignored = {.status = STATUS_DONE};
    char *path SCOPE_FREE = NULL;

    if ( session_find(query.session_dir, options->session, &path, &ignored) ||
         session_bytes(path) <= 2 * EXPLORE_FIRST_BYTES )
        return;
    query.first = EXPLORE_FIRST_BYTES;
    query.silent = true;
    gather(&work->session, &query, options->session, &ignored);
    if ( !ignored.status && work->session.whole &&
         !selection_is_empty(&work->session.loaded, &query.selection) )
        return;
    gathered_free(&work->session);
    work->session = (struct gathered_session){.whole = false};
}

static enum exit_status gather_all(struct work *work, struct failure *failure)
{
    const struct options *options = &work->options;
    struct query before = options->query, query;
    struct failure second = {.status = STATUS_DONE};

    if ( options->explore && !options->base )
        gather_first(work);
    if ( work->session.whole )
        return STATUS_DONE;
    /* --ratio has another event there. */
    if ( options->ratio_of )
        before.event = options->ratio_of;
    if ( options->parts[0].text )
        before.selection.range = options->parts[0].range;
    if ( options->base )
        gather(&work->base, &before, options->base, failure);
    if ( failure->status && !work->base.whole )
        return failure->status;
    query = session_query(work);
    if ( options->parts[1].text )
        query.selection.range = options->parts[1].range;
    gather(&work->session, &query, options->session, &second);
    /* Of two sessions one may have a domain that the other has not. */
    if ( !options->base || failure->status || !work->session.whole )
        *failure = second;
    return failure->status;
}

/* From here on the session is one with a guest's names. */
static enum exit_status merge(struct work *work, struct failure *failure)
{
    struct options *options = &work->options;
    char *path SCOPE_FREE = NULL, *said SCOPE_FREE = NULL;

    if ( session_find(options->query.session_dir, options->session, &path,
                      failure) ||
         merge_session(&work->merged, path, &options->merge, &said, failure) )
        return failure->status;
    say("--merge: ", said);
    if ( !work->imported.file )
        work->imported.file = must(strdup(session_name(path)));
    free(options->session);
    options->session = must(strdup(work->merged.path));
    return STATUS_DONE;
}

/* A session that is compared with itself is base, whatever it has become. */
static void name_base_again(struct options *options)
{
    if ( !options->same )
        return;
    free(options->base);
    options->base = must(strdup(options->session));
}

/* What is read may be another tool's.  A session may be read twice. */
static enum exit_status import_all(struct work *work, struct failure *failure)
{
    struct options *options = &work->options;
    const char *folder = options->query.session_dir;

    if ( options->base && !options->same &&
         import_session(&work->imported_base, folder, &options->base, failure) )
        return failure->status;
    if ( import_session(&work->imported, folder, &options->session, failure) )
        return failure->status;
    if ( options->merge.domain && merge(work, failure) )
        return failure->status;
    name_base_again(options);
    return STATUS_DONE;
}

static enum exit_status archive(const struct options *options,
                                struct failure *failure)
{
    char *path SCOPE_FREE = NULL;
    struct archive_wanted wanted = {
        .file = options->archive,
        .range = &options->query.selection.range,
    };

    if ( session_find(options->query.session_dir, options->session, &path,
                      failure) )
        return failure->status;
    wanted.session = path;
    wanted.anonymous = options->anonymize;
    wanted.code = options->views.code;
    if ( archive_write(&wanted, failure) == STATUS_DONE )
        say_written(options->archive, "open it with xenopreport --session");
    return failure->status;
}

/* From here on a session is a copy of it without names. */
static enum exit_status hide(const struct options *options, char **session,
                             struct failure *failure)
{
    char *path SCOPE_FREE = NULL;
    char *copy;

    if ( session_find(options->query.session_dir, *session, &path, failure) )
        return failure->status;
    copy = must(strdup(path));
    if ( archive_hide(&copy, options->view->code, failure) == STATUS_DAMAGED )
        say("damaged: ", failure->text);
    else if ( failure->status )
    {
        free(copy);
        return failure->status;
    }
    *failure = (struct failure){.status = STATUS_DONE};
    free(*session);
    *session = copy;
    return STATUS_DONE;
}

static enum exit_status hide_all(struct options *options,
                                 struct failure *failure)
{
    if ( !hide(options, &options->session, failure) && options->base &&
         !options->same )
        hide(options, &options->base, failure);
    name_base_again(options);
    return failure->status;
}

static enum exit_status expect_any(struct loaded *loaded,
                                   const struct selection *selection,
                                   struct failure *failure)
{
    return selection_is_empty(loaded, selection)
               ? selection_fail_empty(loaded, selection, failure)
               : STATUS_DONE;
}

static enum exit_status serve(const struct work *work, struct failure *failure)
{
    const struct options *options = &work->options;
    struct serve_wanted wanted = {
        .port = options->views.argument,
        .query = &options->query,
        .layout = &options->layout,
        .options = &options->views,
        .expect = expect_any,
    };
    char *found SCOPE_FREE = NULL, *path SCOPE_FREE = NULL;

    if ( session_find(options->query.session_dir, options->session, &found,
                      failure) )
        return failure->status;
    /* A name such as "current" is another session's, later. */
    path = realpath(found, NULL);
    wanted.path = path ? path : found;
    wanted.name = work->imported.file ? work->imported.file
                                      : session_name(found);
    return serve_run(&wanted, failure);
}

static enum exit_status report(struct work *work, struct failure *failure)
{
    if ( !memory_limit(work->options.memory) )
        return fail(failure, STATUS_FAILED,
                    "Linux does not limit this process's memory: %m");
    if ( import_all(work, failure) )
        return failure->status;
    if ( work->options.live && work->imported.file )
        return fail(failure, STATUS_USAGE,
                    "--live shows a session that is being recorded, which %s "
                    "is not: leave out --live",
                    work->imported.file);
    if ( work->options.archive )
        return archive(&work->options, failure);
    if ( work->options.serve )
        return serve(work, failure);
    if ( work->options.live )
        return live_run(&work->options.query, &work->options.layout,
                        work->options.session, failure);
    if ( work->options.anonymize && hide_all(&work->options, failure) )
        return failure->status;
    if ( gather_all(work, failure) )
        return failure->status;
    return show(work, failure);
}

int main(int argc, char **argv)
{
    struct failure failure = {.status = STATUS_DONE};
    static struct work work; /* large: it would hide main from profilers */
    enum exit_status status;
    bool done;

    setlocale(LC_ALL, "");
    memory_give_back();
    ending_begin();
    status = command_line_parse(&work.options, argc, (const char **)argv, &done,
                                &failure);
    if ( !status && !done )
        status = report(&work, &failure);
    if ( failure.status )
        say("", failure.text);
    gathered_free(&work.session);
    gathered_free(&work.base);
    imported_free(&work.imported);
    imported_free(&work.imported_base);
    import_folder_remove(&work.merged);
    options_free(&work.options);
    return (int)status;
}
