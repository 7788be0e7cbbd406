/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flat-header.h"

#include "clock.h"
#include "domains.h"
#include "options.h"
#include "text.h"

#include <inttypes.h>
#include <session-facts.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define TITLE_WIDTH 10u
#define UTC_DIGITS  3u

/* Text that is gathered, then shown behind a title. */
struct line {
    const struct report *report;
    FILE *file;
    FILE *memory; /* NULL: there is none */
    char *text;
    size_t size;
};

static struct line line_begin(const struct report *report, FILE *file)
{
    return (struct line){.report = report, .file = file};
}

static void line_add(struct line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void line_add(struct line *line, const char *format, ...)
{
    va_list arguments;

    if ( !line->memory )
        line->memory = open_memstream(&line->text, &line->size);
    if ( !line->memory )
        return;
    va_start(arguments, format);
    vfprintf(line->memory, format, arguments);
    va_end(arguments);
}

/* Bytes of text that go on a line of width columns: up to a blank if there is
 * one. */
static size_t fitting(const char *text, size_t width)
{
    size_t head = text_head(text, width), at = head;

    if ( !text[head] || text[head] == ' ' )
        return head;
    while ( at && text[at] != ' ' )
        at--;
    while ( at && text[at - 1] == ' ' )
        at--;
    return at ? at : head;
}

static void print_wrapped(FILE *file, const char *title, const char *text,
                          size_t width)
{
    size_t room = width > 2 * TITLE_WIDTH ? width - TITLE_WIDTH : SIZE_MAX;

    do
    {
        size_t length = fitting(text, room);

        fprintf(file, "%-*s%.*s\n", (int)TITLE_WIDTH, title, (int)length, text);
        text += length;
        text += strspn(text, " ");
        title = "";
    } while ( *text );
}

/* Shows nothing if nothing was added; false if there was no memory. */
static bool line_end(struct line *line, const char *title)
{
    char *clean = NULL;

    if ( !line->memory )
        return true;
    if ( !fclose(line->memory) )
        clean = text_clean(line->text);
    if ( clean )
        print_wrapped(line->file, title, clean, line->report->options->width);
    free(line->text);
    free(clean);
    return clean;
}

static bool show_session(const struct report *report, FILE *file)
{
    const struct recording *recording = report->recording;
    struct line line = line_begin(report, file);
    char length[CLOCK_TEXT];

    clock_format_length(recording->last - recording->clocks.start, length);
    line_add(&line, "%s, %s, %s", report->name,
             recording->closed ? "closed" : "still open", length);
    if ( !line_end(&line, "session") )
        return false;
    line = line_begin(report, file);
    if ( recording->torn )
        line_add(&line, "%" PRIu64 " bytes at the end are no whole block%s",
                 recording->torn, recording->closed ? "" : " yet");
    return line_end(&line, "torn");
}

static bool show_host(const struct report *report, FILE *file)
{
    const struct recording *recording = report->recording;
    const char *host = recording_fact(recording, SESSION_FACT_HOST);
    const char *xen = recording_fact(recording, SESSION_FACT_XEN);
    const char *build = recording_fact(recording, SESSION_FACT_BUILD_ID);
    struct line line = line_begin(report, file);

    if ( host )
        line_add(&line, "%s", host);
    if ( xen )
        line_add(&line, "%sXen %s", host ? ", " : "", xen);
    if ( !line_end(&line, "host") )
        return false;
    line = line_begin(report, file);
    if ( build )
        line_add(&line, "%s", build);
    return line_end(&line, "build-id");
}

static bool show_times(const struct report *report, FILE *file)
{
    const struct clocks *clocks = &report->recording->clocks;
    struct line line = line_begin(report, file);
    char start[CLOCK_TEXT], end[CLOCK_TEXT];

    if ( !clocks->utc_known )
        return true;
    clock_format_utc(clocks_utc(clocks, clocks->start), UTC_DIGITS, start);
    clock_format_utc(clocks_utc(clocks, report->recording->last), UTC_DIGITS,
                     end);
    line_add(&line, "%s to %s", start, end);
    return line_end(&line, "time");
}

/* "nmi, 97 Hz on each pCPU, 48 Hz from 12.000 s on" */
static bool show_sampler(const struct report *report, FILE *file)
{
    const struct recording *recording = report->recording;
    const char *sampler = recording_fact(recording, SESSION_FACT_SAMPLER);
    struct line line = line_begin(report, file);
    const char *before = "";

    if ( sampler )
        line_add(&line, "%s", sampler);
    for ( size_t i = 0; i < recording->fact_count; i++ )
    {
        const struct fact *fact = &recording->facts[i];
        const char *hertz = names_text(&recording->names, fact->value);
        uint64_t at = fact->time - recording->clocks.start;
        char since[CLOCK_TEXT];

        if ( strcmp(names_text(&recording->names, fact->key),
                    SESSION_FACT_FREQUENCY) ||
             !strcmp(hertz, before) )
            continue;
        clock_format_length(at, since);
        if ( !*before )
            line_add(&line, "%s%s Hz on each pCPU", sampler ? ", " : "", hertz);
        else
            line_add(&line, ", %s Hz from %s on", hertz, since);
        before = hertz;
    }
    return line_end(&line, "sampler");
}

static bool show_pcpus(const struct report *report,
                       const struct profile *profile, FILE *file)
{
    const struct recording *recording = report->recording;
    const char *pcpus = recording_fact(recording, SESSION_FACT_PCPUS);
    struct line line = line_begin(report, file);
    char time[CLOCK_TEXT];

    clock_format_length(profile->time_all, time);
    if ( pcpus )
        line_add(&line, "%s, ", pcpus);
    line_add(&line, "%s of their time is 100 %%", time);
    if ( !recording->accounted )
        line_add(&line, " (samples only: Xen's account of idle time is not in "
                        "the session)");
    if ( recording->unsampled )
    {
        clock_format_length(recording->unsampled, time);
        line_add(&line, "; no sample fell into %s of work, shown as other",
                 time);
    }
    return line_end(&line, "pCPUs");
}

static bool show_domains(const struct report *report, FILE *file)
{
    const struct recording *recording = report->recording;
    struct line line = line_begin(report, file);

    for ( size_t i = DOMAIN_INDEX_IDLE + 1; i < recording->domains.count; i++ )
    {
        const struct domain *domain = recording_domain(recording, (uint32_t)i);
        const char *kind = names_text(&recording->names, domain->kind);
        char *text = domain_text(recording, (uint32_t)i);

        line_add(&line, "%s%s%s%s", line.memory ? ", " : "", text ? text : "?",
                 kind ? " " : "", kind ? kind : "");
        free(text);
    }
    return line_end(&line, "domains");
}

static bool show_notes(const struct report *report, FILE *file)
{
    static const char *const keys[] = {SESSION_FACT_STOPPED,
                                       SESSION_FACT_WARNING};
    const struct recording *recording = report->recording;

    for ( size_t i = 0; i < recording->fact_count; i++ )
    {
        const struct fact *fact = &recording->facts[i];
        const char *key = names_text(&recording->names, fact->key);

        for ( size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++ )
        {
            struct line line = line_begin(report, file);

            if ( strcmp(key, keys[k]) )
                continue;
            line_add(&line, "%s", names_text(&recording->names, fact->value));
            if ( !line_end(&line, key) )
                return false;
        }
    }
    return true;
}

bool flat_header_facts(const struct report *report,
                       const struct profile *profile, FILE *file)
{
    return show_session(report, file) && show_host(report, file) &&
           show_times(report, file) && show_sampler(report, file) &&
           show_pcpus(report, profile, file) && show_domains(report, file) &&
           show_notes(report, file);
}

static bool show_missed(const struct report *report, FILE *file)
{
    const struct xenoprof_counters *counters = &report->recording->counters;
    struct line line = line_begin(report, file);

    if ( counters->missed )
        line_add(&line,
                 "%" PRIu64 " of %" PRIu64 " ticks made no sample, %" PRIu64
                 " of them because the pCPU had gone idle",
                 counters->missed, counters->due, counters->idle);
    return line_end(&line, "missed");
}

static const char *cause_meaning(unsigned int cause)
{
    static const char *const meanings[] = {
#define XENOPROF_CAUSE(number, NAME, name, text) [number] = text,
#include <xenoprof/lost-causes.def>
#undef XENOPROF_CAUSE
    };

    return meanings[cause];
}

static bool show_lost(const struct report *report, FILE *file)
{
    const struct recording *recording = report->recording;
    uint64_t unreadable = recording_unreadable(recording);
    struct line line;

    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
    {
        uint64_t lost = recording_lost(recording, cause);

        line = line_begin(report, file);
        if ( lost )
            line_add(&line, "%" PRIu64 ": %s", lost, cause_meaning(cause));
        if ( !line_end(&line, "lost") )
            return false;
    }
    line = line_begin(report, file);
    if ( unreadable )
        line_add(&line,
                 "%" PRIu64
                 ": in parts of the session that are damaged or not here",
                 unreadable);
    return line_end(&line, "lost");
}

static bool show_selected(const struct report *report,
                          const struct profile *profile, FILE *file)
{
    const struct selection *selection = &report->options->selection;
    struct line line = line_begin(report, file);

    if ( !selection_filters(selection) )
        return true;
    line_add(&line, "%" PRIu64 " samples are shown, those with ",
             profile->samples);
    if ( line.memory )
        selection_print(selection, line.memory);
    return line_end(&line, "filter");
}

bool flat_header_losses(const struct report *report,
                        const struct profile *profile, FILE *file)
{
    const struct recording *recording = report->recording;
    uint64_t lost = recording_lost_all(recording) +
                    recording_unreadable(recording);
    uint64_t made = recording_made(recording);
    uint64_t pending = made - lost - recording->read;
    struct line line = line_begin(report, file);

    line_add(&line, "%" PRIu64 " made, %" PRIu64 " read, %" PRIu64 " lost",
             made, recording->read, lost);
    if ( pending )
        line_add(&line, ", %" PRIu64 " not %s", pending,
                 recording->closed ? "accounted for" : "in the session yet");
    return line_end(&line, "samples") && show_lost(report, file) &&
           show_missed(report, file) && show_selected(report, profile, file);
}
