/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff-header.h"

#include "base/must.h"
#include "report/model/format.h"
#include "report/text/header-line.h"
#include "report/text/header-samples.h"
#include "report/text/layout.h"
#include "base/scope.h"
#include "report/model/report.h"
#include "report/types/type-text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ARROW " \xe2\x86\x92 "

static void show_side(const struct report *report, const char *title,
                      const struct diff_whole *whole, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    struct header_line line = header_line_begin(report, file);
    char *state SCOPE_FREE = session_state_text(report->state, loaded);
    char *amount SCOPE_FREE = type_part(loaded, whole->time);
    char length[CLOCK_TEXT];

    clock_format_length(loaded_since(loaded, loaded->last), length);
    header_line_add(
        &line,
        "%s%s%s, %s%s%s, %s; %" PRIu64 " read, %" PRIu64 " lost, %" PRIu64
        " shown",
        report->name, report->state == SESSION_CLOSED ? "" : ", ",
        report->state == SESSION_CLOSED || !state ? "" : state,
        report->part ? report->part : "", report->part ? " of its " : "",
        length, amount ? amount : "?", loaded->read,
        loaded_lost_all(loaded) + loaded_unreadable(loaded), whole->samples);
    header_line_end(&line, title);
}

static void show_filter(const struct report *report, FILE *file)
{
    const struct selection *selection = &report->query->selection;
    struct header_line line = header_line_begin(report, file);

    if ( selection_filters(selection) && line.memory )
        selection_print(selection, line.memory);
    header_line_end(&line, "filter");
}

static void show_noise(const struct report *report, size_t beyond,
                       size_t tested, FILE *file)
{
    struct header_line line = header_line_begin(report, file);

    header_line_add(
        &line,
        "%zu of %zu changes are beyond it (*): two-proportion z-test of "
        "samples, Benjamini-Hochberg at %g %%",
        beyond, tested, 100 * NOISE_RATE);
    header_line_end(&line, "noise");
}

void diff_header_sides(const struct report *report,
                       const struct diff_whole whole[2], FILE *file)
{
    show_side(report->base, "before", &whole[0], file);
    show_side(report, "after", &whole[1], file);
    show_filter(report, file);
    header_focus(report, file);
}

void diff_header(const struct report *report, const struct diff_whole whole[2],
                 size_t beyond, size_t tested, FILE *file)
{
    diff_header_sides(report, whole, file);
    show_noise(report, beyond, tested, file);
    fputc('\n', file);
}

const char *const diff_titles[] = {"before", "after", "change",
                                   "error",  "",      NULL};

void diff_add_change(struct grid *grid, const struct report *report,
                     const struct change *change, bool tested)
{
    const char *about = report->layout->screen.lines->about;

    grid_add(grid, must_text("%.2f%%", 100 * change->before));
    grid_add(grid, must_text("%.2f%%", 100 * change->after));
    grid_add(grid, must_text("%+.2f%%", change_percent(change)));
    grid_add(grid, tested ? must_text("%s%.2f", about, 100 * change->error)
                          : must(strdup("")));
    grid_add(grid, must(strdup(tested && change->beyond ? "*" : "")));
}

char *diff_title(const struct report *report)
{
    const struct report *base = report->base;
    char *before SCOPE_FREE = session_title(report->base->name,
                                            report->base->loaded);
    char *after SCOPE_FREE = session_title(report->name, report->loaded);

    if ( base->part && !strcmp(base->name, report->name) )
        return must_text("%s: %s" ARROW "%s", after, base->part, report->part);
    return must_text("%s%s%s" ARROW "%s%s%s", before, base->part ? ": " : "",
                     base->part ? base->part : "", after,
                     report->part ? ": " : "",
                     report->part ? report->part : "");
}
