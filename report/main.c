/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xenopreport: where the time of a Xen host went.
 */
#include "gather.h"
#include "report/live/live.h"
#include "output.h"
#include "pager.h"
#include "report/model/sessions.h"
#include "views.h"

#include <locale.h>
#include <stdio.h>

/* Everything that one report takes. */
struct work {
    struct options options;
    struct gathered session;
    struct gathered base; /* what it is compared with, if that is asked for */
};

static bool print(const struct report *report, FILE *file)
{
    const struct view *view = report->options->view;

    return report->base ? view->compare(report, file)
                        : view->print(report, file);
}

static enum report_status write_to_pager(struct pager *pager,
                                         const struct report *report,
                                         struct complaint *complaint)
{
    if ( !print(report, stdout) )
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
    if ( !print(report, output.file) )
        complain_memory(complaint);
    return output_close(&output, complaint);
}

static struct report make_report(const struct work *work,
                                 const struct gathered *gathered)
{
    return (struct report){
        .options = &work->options,
        .recording = &gathered->recording,
        .stacks = &gathered->stacks,
        .name = session_name(gathered->path),
    };
}

static enum report_status show(const struct work *work,
                               struct complaint *complaint)
{
    const struct view *view = work->options.view;
    struct report report = make_report(work, &work->session), base;
    enum report_status status;

    if ( work->options.base )
    {
        base = make_report(work, &work->base);
        report.base = &base;
    }
    if ( view->expect && view->expect(&report, complaint) )
        return complaint->status;
    if ( write_report(&report, complaint) )
        return complaint->status;
    status = gathered_warn(&work->session);
    if ( work->options.base && gathered_warn(&work->base) )
        status = REPORT_DAMAGED;
    return status;
}

static enum report_status gather_all(struct work *work,
                                     struct complaint *complaint)
{
    const struct options *options = &work->options;
    struct complaint second = {.status = REPORT_OK};

    if ( options->base )
        gather(&work->base, options, options->base, complaint);
    if ( complaint->status && !work->base.whole )
        return complaint->status;
    gather(&work->session, options, options->session, &second);
    /* Of two sessions one may have a domain that the other has not. */
    if ( !options->base || complaint->status || !work->session.whole )
        *complaint = second;
    return complaint->status;
}

static enum report_status report(struct work *work, struct complaint *complaint)
{
    if ( work->options.live )
        return live_run(&work->options, complaint);
    return gather_all(work, complaint) ? complaint->status
                                       : show(work, complaint);
}

int main(int argc, char **argv)
{
    struct complaint complaint = {.status = REPORT_OK};
    struct work work = {.options = {.session = NULL}};
    enum report_status status;
    bool done;

    setlocale(LC_ALL, "");
    status = options_parse(&work.options, argc, (const char **)argv, &done,
                           &complaint);
    if ( !status && !done )
        status = report(&work, &complaint);
    if ( complaint.status )
        say("", complaint.text);
    gathered_free(&work.session);
    gathered_free(&work.base);
    options_free(&work.options);
    return (int)status;
}
