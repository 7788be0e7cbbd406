/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flat-header.h"
#include "header-line.h"
#include "report/model/report.h"

#include <inttypes.h>

static bool show_missed(const struct report *report, FILE *file)
{
    const struct xenoprof_counters *counters = &report->loaded->counters;
    struct header_line line = header_line_begin(report, file);

    if ( counters->missed )
        header_line_add(&line,
                        "%" PRIu64 " of %" PRIu64
                        " ticks made no sample, %" PRIu64
                        " of them because the pCPU had gone idle",
                        counters->missed, counters->due, counters->idle);
    return header_line_end(&line, "missed");
}

static const char *cause_meaning(unsigned int cause)
{
    static const char *const meanings[] = {
#define XENOPROF_CAUSE(number, NAME, name, who, text) [number] = text,
#include <xenoprof/lost-causes.def>
#undef XENOPROF_CAUSE
    };

    return meanings[cause];
}

static bool show_lost(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    uint64_t unreadable = loaded_unreadable(loaded);
    struct header_line line;

    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
    {
        uint64_t lost = loaded_lost(loaded, cause);

        line = header_line_begin(report, file);
        if ( lost )
            header_line_add(&line, "%" PRIu64 ": %s", lost,
                            cause_meaning(cause));
        if ( !header_line_end(&line, "lost") )
            return false;
    }
    line = header_line_begin(report, file);
    if ( unreadable )
        header_line_add(
            &line,
            "%" PRIu64 ": in parts of the session that are damaged or not here",
            unreadable);
    return header_line_end(&line, "lost");
}

static bool show_selected(const struct report *report,
                          const struct profile *profile, FILE *file)
{
    const struct selection *selection = &report->query->selection;
    struct header_line line = header_line_begin(report, file);

    if ( !selection_filters(selection) )
        return true;
    header_line_add(&line, "%" PRIu64 " samples are shown, those with ",
                    profile->samples);
    if ( line.memory )
        selection_print(selection, line.memory);
    return header_line_end(&line, "filter");
}

bool flat_header_losses(const struct report *report,
                        const struct profile *profile, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    uint64_t lost = loaded_lost_all(loaded) + loaded_unreadable(loaded);
    uint64_t made = loaded_made(loaded);
    uint64_t pending = made - lost - loaded->read;
    struct header_line line = header_line_begin(report, file);

    header_line_add(&line,
                    "%" PRIu64 " made, %" PRIu64 " read, %" PRIu64 " lost",
                    made, loaded->read, lost);
    if ( pending )
        header_line_add(&line, ", %" PRIu64 " not %s", pending,
                        loaded->closed ? "accounted for"
                                       : "in the session yet");
    return header_line_end(&line, "samples") && show_lost(report, file) &&
           show_missed(report, file) && show_selected(report, profile, file) &&
           header_focus(report, file);
}
