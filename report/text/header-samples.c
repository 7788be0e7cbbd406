/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "header-samples.h"

#include "header-line.h"
#include "layout.h"
#include "base/scope.h"
#include "libxenoprof/session/session-attributes.h"
#include "report/model/chain-ends.h"
#include "report/model/domain-text.h"
#include "report/model/format.h"
#include "report/types/type-text.h"

#include <inttypes.h>
#include <stdlib.h>

/* "opagent ran there and answered for 151 of 781": who had an agent need not
 * start one. */
static void add_answered(struct header_line *line,
                         const struct chain_ends *ends)
{
    uint64_t answered = ends->samples - ends->ended[XENOPROF_ENDED_AGENT];

    if ( answered )
        header_line_add(line,
                        " (opagent ran there and answered for %" PRIu64
                        " of %" PRIu64 ")",
                        answered, ends->samples);
    else
        header_line_add(line, " (opagent ran there and did not answer: "
                              "xenopctl --status says why)");
}

/* "97.3% reached their root", and what can be done about others, which is said
 * once. */
static void add_end(struct header_line *line,
                    const struct loaded_domain *domain,
                    const struct chain_ends *ends, enum xenoprof_ended ended,
                    bool advised[XENOPROF_ENDS])
{
    bool ran;
    const char *remedy = chain_ends_remedy(domain, ends, ended, &ran);

    header_line_add(line, "%.1f%% %s",
                    percent_of(ends->ended[ended], ends->samples),
                    xenoprof_ended_text(ended));
    if ( ran )
        add_answered(line, ends);
    else if ( remedy && !advised[ended] )
    {
        header_line_add(line, " (%s)", remedy);
        advised[ended] = true;
    }
}

static const char *const whose_chains[XENOPROF_MODES] = {
    [XENOPROF_MODE_XEN] = "in xen",
    [XENOPROF_MODE_KERNEL] = "in kernel",
    [XENOPROF_MODE_USER] = "of processes",
};

/* "web (1), 847 in kernel: 97.3% reached their root, 1.1% ..." */
static void show_ends(const struct report *report, uint32_t domain,
                      unsigned int mode, const char *title,
                      bool advised[XENOPROF_ENDS], FILE *file)
{
    const struct loaded_domain *whose = loaded_domain(report->loaded, domain);
    const struct chain_ends *ends = &whose->ends[mode];
    enum xenoprof_ended order[XENOPROF_ENDS];
    unsigned int count = chain_ends_sort(ends, order);
    struct header_line line = header_line_begin(report, file);
    char *name SCOPE_FREE = domain_text(report->loaded, domain);

    header_line_add(&line, "%s, %" PRIu64 " %s: ", name ? name : "?",
                    ends->samples, whose_chains[chain_modes[mode]]);
    for ( unsigned int i = 0; i < count; i++ )
    {
        header_line_add(&line, "%s", i ? ", " : "");
        add_end(&line, whose, ends, order[i], advised);
    }
    header_line_end(&line, title);
}

void header_chains(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    const char *title = "chains";
    bool recorded[CHAIN_MODES], advised[XENOPROF_ENDS] = {false};

    chain_ends_recorded(loaded, recorded);
    for ( uint32_t i = DOMAIN_INDEX_IDLE + 1; i < loaded->domains.count; i++ )
        for ( unsigned int m = 0; m < CHAIN_MODES; m++ )
        {
            if ( !recorded[m] || !loaded_domain(loaded, i)->ends[m].samples )
                continue;
            show_ends(report, i, m, title, advised, file);
            title = "";
        }
}

/* ": 120 samples, 12.34% of all pCPU time, of which all shares are" */
static void add_taken(struct header_line *line, const struct loaded *loaded)
{
    uint64_t samples = 0, time = 0, all = 0;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        all += cell->time;
        samples += cell->dropped ? 0 : cell->samples;
        time += cell->dropped ? 0 : cell->time;
    }
    header_line_add(line,
                    ": %" PRIu64 " samples, %.2f%% of all %s, which shares "
                    "below are of",
                    samples, percent_of(time, all), type_whole(loaded));
}

/* "stacks with /^vfs_/, without /zero/: ..." */
void header_focus(const struct report *report, FILE *file)
{
    static const char *const words[] = {[FOCUS_ON] = "with", "without"};
    const struct focus *focus = &report->query->focus;
    struct header_line line = header_line_begin(report, file);

    for ( size_t i = 0; i < focus->count; i++ )
        header_line_add(&line, "%s %s /%s/", i ? "," : "stacks",
                        words[focus->items[i].kind], focus->items[i].text);
    if ( focus->count && !report->base )
        add_taken(&line, report->loaded);
    header_line_end(&line, "focus");
}

void header_stacks(const struct report *report, FILE *file)
{
    struct stack_counts counts = loaded_stacks(report->loaded, true);
    struct header_line line = header_line_begin(report, file);

    if ( report->loaded->stacked && !report->layout->header )
        return;
    if ( report->loaded->stacked )
        header_line_add(&line,
                        "%" PRIu64 " of %" PRIu64 " samples have callers",
                        counts.callers, counts.samples);
    else if ( counts.samples )
        header_line_add(
            &line, "none were recorded (xenopctl --start --stacks does): each "
                   "function stands alone");
    if ( report->loaded->stacked && counts.truncated )
        header_line_add(&line, "; %" PRIu64 " chains end early",
                        counts.truncated);
    if ( report->loaded->stacked && counts.moved )
        header_line_add(&line, "; %" PRIu64 " lack the guest, which had moved",
                        counts.moved);
    if ( report->loaded->stacked && counts.unknown )
        header_line_add(&line, "; %" PRIu64 " lack the guest, not known there",
                        counts.unknown);
    header_line_end(&line, "stacks");
}

static void show_missed(const struct report *report, FILE *file)
{
    const struct xenoprof_counters *counters = &report->loaded->counters;
    struct header_line line = header_line_begin(report, file);

    if ( counters->missed )
        header_line_add(&line,
                        "%" PRIu64 " of %" PRIu64
                        " ticks made no sample, %" PRIu64
                        " of them because the pCPU had gone idle",
                        counters->missed, counters->due, counters->idle);
    header_line_end(&line, "missed");
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

static void show_lost(const struct report *report, FILE *file)
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
        header_line_end(&line, "lost");
    }
    line = header_line_begin(report, file);
    if ( loaded->waiting.lost )
        header_line_add(&line, "%" PRIu64 ": of vCPUs that waited",
                        loaded->waiting.lost);
    header_line_end(&line, "lost");
    line = header_line_begin(report, file);
    if ( unreadable )
        header_line_add(
            &line,
            "%" PRIu64 ": in parts of the session that are damaged or not here",
            unreadable);
    header_line_end(&line, "lost");
}

static void show_selected(const struct report *report,
                          const struct profile *profile, FILE *file)
{
    const struct selection *selection = &report->query->selection;
    struct header_line line = header_line_begin(report, file);

    if ( !selection_filters(selection) )
        return;
    header_line_add(&line, "%" PRIu64 " samples are shown, those with ",
                    profile->samples);
    if ( line.memory )
        selection_print(selection, line.memory);
    header_line_end(&line, "filter");
}

static void show_samples(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    uint64_t lost = loaded_lost_all(loaded) + loaded_unreadable(loaded);
    uint64_t made = loaded_made(loaded);
    uint64_t pending = made - lost - loaded->expired - loaded->read;
    uint64_t unnamed = spooled_samples(&loaded->spooled);
    struct header_line line = header_line_begin(report, file);

    header_line_add(&line,
                    "%" PRIu64 " made, %" PRIu64 " read, %" PRIu64 " lost",
                    made, loaded->read, lost);
    if ( loaded->expired )
        header_line_add(&line, ", %" PRIu64 " %s", loaded->expired,
                        loaded_attribute(loaded, SESSION_ATTRIBUTE_CUT)
                            ? "left out of this copy"
                            : "expired (--max-size, --max-age)");
    if ( unnamed )
        header_line_add(&line, ", %" PRIu64 " wait for names", unnamed);
    if ( pending > unnamed )
        header_line_add(&line, ", %" PRIu64 " not %s", pending - unnamed,
                        loaded->closed ? "accounted for"
                                       : "in the session yet");
    header_line_end(&line, "samples");
}

void header_losses_short(const struct report *report,
                         const struct profile *profile, FILE *file)
{
    show_samples(report, file);
    show_selected(report, profile, file);
    header_focus(report, file);
}

void header_losses(const struct report *report, const struct profile *profile,
                   FILE *file)
{
    show_samples(report, file);
    show_lost(report, file);
    show_missed(report, file);
    show_selected(report, profile, file);
    header_focus(report, file);
}
