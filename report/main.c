/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xenopreport: where the time of a Xen host went.
 */
#include "account.h"
#include "areas.h"
#include "complaint.h"
#include "load.h"
#include "naming.h"
#include "options.h"
#include "output.h"
#include "pager.h"
#include "sessions.h"
#include "stacks.h"
#include "text.h"
#include "views.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Everything that one report takes. */
struct work {
    struct options options;
    struct kernels kernels;
    struct recording recording;
    struct stacks stacks;
    char *path; /* of the session */
};

/* What others chose may be in it: a domain's name, a file's. */
static void say(const char *what, const char *text)
{
    char *clean = text_clean(text);

    fprintf(stderr, "xenopreport: %s%s\n", what, clean ? clean : "");
    free(clean);
}

/* A kernel that names nothing is likely another one than the guest runs. */
static void warn_useless_kernels(const struct work *work)
{
    for ( size_t i = 0; i < work->kernels.count; i++ )
    {
        const struct kernel *kernel = &work->kernels.list[i];
        char text[512];

        if ( !kernel_useless(&work->recording, kernel) )
            continue;
        snprintf(text, sizeof(text),
                 "%s covers no address of domain %s: is it the kernel that "
                 "runs there, and at its addresses? (/proc/kallsyms of the "
                 "guest has them)",
                 kernel->file, kernel->domain);
        say("warning: ", text);
    }
}

static bool is_folder(const char *path)
{
    struct stat state;

    return !stat(path, &state) && S_ISDIR(state.st_mode);
}

/* A session of several files from which one was taken away reads well. */
static enum report_status warn_missing(const struct work *work)
{
    uint64_t missing = recording_unreadable(&work->recording);

    if ( !missing || !is_folder(work->path) )
        return REPORT_OK;
    fprintf(stderr,
            "xenopreport: damaged: %" PRIu64 " samples that the "
            "session counted are not in it: is one of its files gone?\n",
            missing);
    return REPORT_DAMAGED;
}

static enum report_status warn_damage(const struct work *work)
{
    const struct recording *recording = &work->recording;

    if ( !recording->damages )
        return warn_missing(work);
    for ( size_t i = 0; i < recording->damages && i < DAMAGES_KEPT; i++ )
        say("damaged: ", recording->damage[i] ? recording->damage[i] : "");
    if ( recording->damages > DAMAGES_KEPT )
        fprintf(stderr, "xenopreport: damaged: and %zu more parts\n",
                recording->damages - DAMAGES_KEPT);
    return REPORT_DAMAGED;
}

static bool needs_stacks(const struct options *options)
{
    return options->view->stacks || options->stacks.focus.count ||
           options->stacks.in_rows;
}

/* False if there is no memory. */
static bool build_stacks(struct work *work)
{
    return !needs_stacks(&work->options) ||
           stacks_build(&work->stacks, &work->recording, &work->kernels,
                        stack_detail(&work->options.sort));
}

static enum report_status gather(struct work *work, struct complaint *complaint)
{
    const struct options *options = &work->options;

    if ( !recording_init(&work->recording) )
        return complain_memory(complaint);
    if ( session_find(options->session_dir, options->session, &work->path,
                      complaint) ||
         kernels_open(&work->kernels,
                      (const char *const *)options->guest_kernels, complaint) ||
         load_session(&work->recording, work->path, &options->selection.range,
                      complaint) ||
         name_cells(&work->recording, &work->kernels, complaint) )
        return complaint->status;
    areas_find(&work->recording);
    if ( !build_stacks(work) || !account_time(&work->recording) )
        return complain_memory(complaint);
    if ( selection_apply(&options->selection, &work->recording, complaint) )
        return complaint->status;
    return focus_apply(&options->stacks.focus, &work->recording, &work->stacks)
               ? REPORT_OK
               : complain_memory(complaint);
}

static enum report_status write_to_pager(struct pager *pager,
                                         const struct report *report,
                                         struct complaint *complaint)
{
    if ( !report->options->view->print(report, stdout) )
        complain_memory(complaint);
    pager_end(pager);
    return complaint->status;
}

static enum report_status write_report(const struct report *report,
                                       struct complaint *complaint)
{
    const struct options *options = report->options;
    struct output output;
    struct pager pager;

    pager_begin(&pager, !options->output && !options->screen.no_pager);
    if ( pager.process )
        return write_to_pager(&pager, report, complaint);
    if ( output_open(&output, options->output, complaint) )
        return complaint->status;
    if ( !options->view->print(report, output.file) )
        complain_memory(complaint);
    return output_close(&output, complaint);
}

static enum report_status show(struct work *work, struct complaint *complaint)
{
    const struct report report = {
        .options = &work->options,
        .recording = &work->recording,
        .stacks = &work->stacks,
        .name = session_name(work->path),
    };

    if ( work->options.view->expect &&
         work->options.view->expect(&report, complaint) )
        return complaint->status;
    if ( write_report(&report, complaint) )
        return complaint->status;
    warn_useless_kernels(work);
    return warn_damage(work);
}

int main(int argc, char **argv)
{
    struct complaint complaint = {.status = REPORT_OK};
    struct work work = {.path = NULL};
    enum report_status status;
    bool done;

    setlocale(LC_ALL, "");
    status = options_parse(&work.options, argc, (const char **)argv, &done,
                           &complaint);
    if ( !status && !done )
        status = gather(&work, &complaint);
    if ( !status && !done )
        status = show(&work, &complaint);
    if ( complaint.status )
        say("", complaint.text);
    kernels_close(&work.kernels);
    stacks_free(&work.stacks);
    recording_free(&work.recording);
    options_free(&work.options);
    free(work.path);
    return (int)status;
}
