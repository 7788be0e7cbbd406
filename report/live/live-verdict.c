/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live-verdict.h"

#include "base/must.h"
#include "base/clock.h"
#include "base/scope.h"
#include "report/model/format.h"
#include "report/model/gather.h"
#include "report/model/report.h"
#include "report/text/header-line.h"
#include "report/text/why-text.h"
#include "report/why/why.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REASONS_SHOWN 3u

/* The same samples, of the last seconds, with their stacks. */
static struct query query_of(const struct query *query, unsigned int seconds)
{
    struct query own = *query;

    if ( !seconds || seconds > LIVE_VERDICT_MOST )
        seconds = LIVE_VERDICT_MOST;
    if ( time_range_all(&own.selection.range) )
        own.selection.range.from = (struct time_point){
            TIME_BEFORE_END, seconds * (uint64_t)NS_PER_S};
    own.needs_stacks = true;
    own.needs_who = true;
    own.silent = true;
    return own;
}

/* "44.05%: 11.76% scheduler: which vCPU runs next; 8.10% timers". */
static void print_live_reasons(const struct report *report, FILE *file)
{
    struct header_line line = header_line_begin(report, file);
    struct why why;

    why_build(&why, report->loaded, report->stacks);
    if ( why.xen.time )
        header_line_add(&line, "%.2f%%",
                        percent_of(why.xen.time, why.time_all));
    for ( size_t i = 0; i < why.reasons && i < REASONS_SHOWN; i++ )
        header_line_add(
            &line, "%s %.2f%% %s", i ? ";" : ":",
            percent_of(why.by_reason[why.order[i]].time, why.time_all),
            reason_text(why.order[i])->words);
    why_free(&why);
    header_line_end(&line, "xen ran");
}

static char *make_text(const struct query *query, const struct layout *layout,
                       const char *path)
{
    struct gathered_session gathered = {.whole = false};
    struct failure failure = {.status = STATUS_DONE};
    struct report report = {.query = query,
                            .layout = layout,
                            .loaded = &gathered.loaded,
                            .stacks = &gathered.stacks};
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    gather(&gathered, query, path, &failure);
    report.path = gathered.path;
    if ( gathered.whole )
    {
        /* If a page has not all of it, the end of the reasons is missing. */
        verdict_print(&report, file);
        print_live_reasons(&report, file);
    }
    else
    {
        struct header_line line = header_line_begin(&report, file);

        header_line_add(&line, "not known: %s", failure.text);
        header_line_end(&line, "verdict");
    }
    gathered_free(&gathered);
    return format_close(file, &text);
}

void live_verdict_make(struct live_verdict *verdict, const struct query *query,
                       const struct layout *layout, const char *path,
                       unsigned int seconds, uint64_t now)
{
    struct query own = query_of(query, seconds);
    uint64_t after;

    /* "current" may be another one's name by then. */
    if ( !verdict->path && !(verdict->path = realpath(path, NULL)) )
        verdict->path = must(strdup(path));
    if ( verdict->text && verdict->seconds == seconds && now < verdict->next )
        return;
    free(verdict->text);
    verdict->text = make_text(&own, layout, verdict->path);
    verdict->seconds = seconds;
    after = monotonic_now();
    verdict->next = after + (after - now) * (100 / LIVE_VERDICT_PERCENT - 1);
}

size_t live_verdict_lines(const struct live_verdict *verdict)
{
    size_t lines = 0;

    for ( const char *at = verdict->text; at && lines < LIVE_VERDICT_LINES;
          at++, lines++ )
        if ( !(at = strchr(at, '\n')) )
            break;
    return lines;
}

void live_verdict_free(struct live_verdict *verdict)
{
    free(verdict->text);
    free(verdict->path);
}
