/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header's lines on the session: when and where it was recorded, of what,
 * and what the daemon noted.
 */
#include "header.h"

#include "why-text.h"
#include "header-short.h"
#include "header-line.h"
#include "report/types/type-lines.h"
#include "report/types/type-text.h"
#include "report/waits/waits-text.h"
#include "header-samples.h"
#include "layout.h"
#include "report/pace/slowed.h"
#include "base/scope.h"
#include "cost-text.h"
#include "report/model/domain-text.h"
#include "report/model/format.h"
#include "report/model/kernel-attribute.h"
#include "libxenoprof/session/session-attributes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WAITS_SHOWN 8u /* vCPUs */
#define UTC_DIGITS  3u

static void show_session(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    struct header_line line = header_line_begin(report, file);
    char *state SCOPE_FREE = session_state_text(report->state, loaded);
    char length[CLOCK_TEXT];

    clock_format_length(loaded_since(loaded, loaded->last), length);
    header_line_add(&line, "%s, %s, %s", report->name, state ? state : "?",
                    length);
    header_line_end(&line, "session");
}

static void show_host(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    const char *host = loaded_attribute(loaded, SESSION_ATTRIBUTE_HOST);
    const char *xen = loaded_attribute(loaded, SESSION_ATTRIBUTE_XEN);
    const char *build = loaded_attribute(loaded, SESSION_ATTRIBUTE_BUILD_ID);
    struct header_line line = header_line_begin(report, file);

    if ( host )
        header_line_add(&line, "%s", host);
    if ( xen )
        header_line_add(&line, "%sXen %s", host ? ", " : "", xen);
    header_line_end(&line, "host");
    line = header_line_begin(report, file);
    if ( build )
        header_line_add(&line, "%s", build);
    header_line_end(&line, "build-id");
}

static void show_times(const struct report *report, FILE *file)
{
    const struct clocks *clocks = &report->loaded->clocks;
    struct header_line line = header_line_begin(report, file);
    char start[CLOCK_TEXT], end[CLOCK_TEXT];

    if ( !clocks->utc_known )
        return;
    clock_format_utc(clocks_utc(clocks, clocks->start), UTC_DIGITS, start);
    clock_format_utc(clocks_utc(clocks, report->loaded->last), UTC_DIGITS, end);
    header_line_add(&line, "%s to %s", start, end);
    header_line_end(&line, "time");
}

/* "nmi, 97 Hz on each pCPU, 48 Hz from 12.000 s on" */
static void show_sampler(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    const char *sampler = loaded_attribute(loaded, SESSION_ATTRIBUTE_SAMPLER);
    struct header_line line = header_line_begin(report, file);
    const char *before = "", *lowered = SESSION_LOWERED_NO;

    if ( sampler )
        header_line_add(&line, "%s", sampler);
    for ( size_t i = 0; i < loaded->attributes.count; i++ )
    {
        const struct attribute *attribute = &loaded->attributes.items[i];
        const char *key = names_text(&loaded->names, attribute->key);
        const char *hertz = names_text(&loaded->names, attribute->value);
        uint64_t at = loaded_since(loaded, attribute->time);
        char since[CLOCK_TEXT];

        if ( !strcmp(key, SESSION_ATTRIBUTE_LOWERED) )
            lowered = hertz;
        /* What has a reason is in the next line. */
        if ( strcmp(key, SESSION_ATTRIBUTE_FREQUENCY) ||
             strcmp(lowered, SESSION_LOWERED_NO) || !strcmp(hertz, before) )
            continue;
        clock_format_length(at, since);
        if ( *before && !attribute->time )
            header_line_add(&line, ", later %s Hz", hertz);
        else if ( !*before )
            header_line_add(&line, "%s%s Hz on each pCPU", sampler ? ", " : "",
                            hertz);
        else
            header_line_add(&line, ", %s Hz from %s on", hertz, since);
        before = hertz;
    }
    header_line_end(&line, "sampler");
}

static void show_slowed(const struct report *report, FILE *file)
{
    struct header_line line = header_line_begin(report, file);

    slowed_add(&line, report->loaded);
    header_line_end(&line, "slowed");
}

static void show_pcpus(const struct report *report,
                       const struct profile *profile, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    const char *pcpus = loaded_attribute(loaded, SESSION_ATTRIBUTE_PCPUS);
    struct header_line line = header_line_begin(report, file);
    char *whole SCOPE_FREE = type_length(loaded, profile->time_all);
    char time[CLOCK_TEXT];

    if ( pcpus )
        header_line_add(&line, "%s, ", pcpus);
    header_line_add(&line, "%s %s 100 %%", whole ? whole : "?",
                    types_is_time(&loaded->types) ? "of their time is" : "are");
    if ( !loaded->accounted && types_is_time(&loaded->types) )
        header_line_add(&line,
                        " (samples only: Xen's account of idle time is not in "
                        "the session)");
    if ( loaded->unsampled )
    {
        clock_format_length(loaded->unsampled, time);
        header_line_add(
            &line,
            "; no sample fell into %s of work, which is shown without a mode",
            time);
    }
    header_line_end(&line, "pCPUs");
}

static void show_domains(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    struct header_line line = header_line_begin(report, file);

    for ( size_t i = DOMAIN_INDEX_IDLE + 1; i < loaded->domains.count; i++ )
    {
        const struct loaded_domain *domain = loaded_domain(loaded, (uint32_t)i);
        const char *kind = names_text(&loaded->names, domain->kind);
        char *text SCOPE_FREE = domain_text(loaded, (uint32_t)i);

        header_line_add(&line, "%s%s%s%s", line.memory ? ", " : "",
                        text ? text : "?", kind ? " " : "", kind ? kind : "");
    }
    header_line_end(&line, "domains");
}

/* Only if somebody waited for long. */
static void show_waits(const struct report *report, FILE *file)
{
    struct header_line line = header_line_begin(report, file);

    if ( waits_any_marked(&report->loaded->waits) )
    {
        header_line_add(&line, "for a pCPU: ");
        waits_add_marked(&line, report->loaded, WAITS_SHOWN);
        header_line_add(&line, " of their time");
    }
    header_line_end(&line, "waits");
}

static void show_kernels(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    bool first = true;

    for ( uint32_t i = 0; i < loaded->domains.count; i++ )
    {
        struct kernel_attribute attribute;

        struct header_line line;
        char *name SCOPE_FREE = NULL;
        char *text SCOPE_FREE = NULL;

        if ( !kernel_attribute_read(loaded, i, &attribute) )
            continue;
        name = domain_text(loaded, i);
        text = kernel_attribute_text(&attribute);
        line = header_line_begin(report, file);
        header_line_add(&line, "%s: %s", name, text);
        header_line_end(&line, first ? "kernels" : "");
        first = false;
        kernel_attribute_free(&attribute);
    }
}

/* "hotfix (below the profiler's), ..." */
static void add_payloads(struct header_line *line, const char *text)
{
    const char *between = "";

    if ( !strcmp(text, "none") )
    {
        header_line_add(line, "none");
        return;
    }
    for ( ; *text; text += strspn(text, " ") )
    {
        size_t length = strcspn(text, " ");
        const char *end = text + length, *value = memrchr(text, '=', length);

        if ( !value )
            value = end;
        header_line_add(line, "%s%.*s", between, (int)(value - text), text);
        if ( value < end )
            header_line_add(line, " (%.*s the profiler's)",
                            (int)(end - value - 1), value + 1);
        between = ", ";
        text = end;
    }
}

/* Each change since the session began. */
static void show_payloads(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    struct header_line line = header_line_begin(report, file);
    const char *before = "";

    for ( size_t i = 0; i < loaded->attributes.count; i++ )
    {
        const struct attribute *attribute = &loaded->attributes.items[i];
        const char *value = names_text(&loaded->names, attribute->value);
        uint64_t at = loaded_since(loaded, attribute->time);
        char since[CLOCK_TEXT];

        if ( strcmp(names_text(&loaded->names, attribute->key),
                    SESSION_ATTRIBUTE_PAYLOADS) ||
             !strcmp(value, before) )
            continue;
        clock_format_length(at, since);
        if ( *before || at )
            header_line_add(&line, "%sfrom %s on: ", *before ? "; " : "",
                            since);
        add_payloads(&line, value);
        before = value;
    }
    if ( *before )
        header_line_add(&line, "; chains that come to their code end there");
    header_line_end(&line, "patches");
}

static void show_cost(const struct report *report,
                      const struct profile *profile, FILE *file)
{
    struct header_line line = header_line_begin(report, file);
    char *text SCOPE_FREE = cost_text(report->loaded, profile->time_all);

    if ( *text )
        header_line_add(&line, "%s", text);
    header_line_end(&line, "cost");
}

static void show_notes(const struct report *report, FILE *file)
{
    static const char *const keys[] = {SESSION_ATTRIBUTE_STOPPED,
                                       SESSION_ATTRIBUTE_WARNING,
                                       SESSION_ATTRIBUTE_MERGED};
    const struct loaded *loaded = report->loaded;

    for ( size_t i = 0; i < loaded->attributes.count; i++ )
    {
        const struct attribute *attribute = &loaded->attributes.items[i];
        const char *key = names_text(&loaded->names, attribute->key);

        for ( size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++ )
        {
            struct header_line line = header_line_begin(report, file);

            if ( strcmp(key, keys[k]) )
                continue;
            header_line_add(&line, "%s",
                            names_text(&loaded->names, attribute->value));
            header_line_end(&line, key);
        }
    }
}

static void show_attributes(const struct report *report,
                            const struct profile *profile, FILE *file)
{
    show_session(report, file);
    header_torn(report, file);
    show_host(report, file);
    show_times(report, file);
    show_sampler(report, file);
    show_slowed(report, file);
    type_lines(report, file);
    show_pcpus(report, profile, file);
    show_domains(report, file);
    show_waits(report, file);
    show_kernels(report, file);
    header_chains(report, file);
    show_cost(report, profile, file);
    show_payloads(report, file);
    show_notes(report, file);
}

void header_print(const struct report *report, const struct profile *profile,
                  FILE *file)
{
    bool whole = report->layout->header && !report->layout->no_header;

    if ( whole )
    {
        show_attributes(report, profile, file);
        verdict_print(report, file);
    }
    else
    {
        header_short(report, file);
        /* What is to be known of any part of the session. */
        if ( !report->layout->no_header )
        {
            show_payloads(report, file);
            show_notes(report, file);
        }
    }
    header_losses(report, profile, file);
}
