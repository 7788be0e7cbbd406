/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flat-header.h"

#include "clock.h"
#include "report/model/domains.h"
#include "header-line.h"

#include <inttypes.h>
#include <session-attributes.h>
#include <stdlib.h>
#include <string.h>

#define UTC_DIGITS 3u

static bool show_session(const struct report *report, FILE *file)
{
    const struct recording *recording = report->recording;
    struct line line = line_begin(report, file);
    char length[CLOCK_TEXT];

    clock_format_length(recording_since(recording, recording->last), length);
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
    const char *host = recording_attribute(recording, SESSION_ATTRIBUTE_HOST);
    const char *xen = recording_attribute(recording, SESSION_ATTRIBUTE_XEN);
    const char *build = recording_attribute(recording,
                                            SESSION_ATTRIBUTE_BUILD_ID);
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
    const char *sampler = recording_attribute(recording,
                                              SESSION_ATTRIBUTE_SAMPLER);
    struct line line = line_begin(report, file);
    const char *before = "";

    if ( sampler )
        line_add(&line, "%s", sampler);
    for ( size_t i = 0; i < recording->attribute_count; i++ )
    {
        const struct attribute *attribute = &recording->attributes[i];
        const char *hertz = names_text(&recording->names, attribute->value);
        uint64_t at = recording_since(recording, attribute->time);
        char since[CLOCK_TEXT];

        if ( strcmp(names_text(&recording->names, attribute->key),
                    SESSION_ATTRIBUTE_FREQUENCY) ||
             !strcmp(hertz, before) )
            continue;
        clock_format_length(at, since);
        if ( *before && !attribute->time )
            line_add(&line, ", later %s Hz", hertz);
        else if ( !*before )
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
    const char *pcpus = recording_attribute(recording, SESSION_ATTRIBUTE_PCPUS);
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
    static const char *const keys[] = {SESSION_ATTRIBUTE_STOPPED,
                                       SESSION_ATTRIBUTE_WARNING};
    const struct recording *recording = report->recording;

    for ( size_t i = 0; i < recording->attribute_count; i++ )
    {
        const struct attribute *attribute = &recording->attributes[i];
        const char *key = names_text(&recording->names, attribute->key);

        for ( size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++ )
        {
            struct line line = line_begin(report, file);

            if ( strcmp(key, keys[k]) )
                continue;
            line_add(&line, "%s",
                     names_text(&recording->names, attribute->value));
            if ( !line_end(&line, key) )
                return false;
        }
    }
    return true;
}

bool flat_header_attributes(const struct report *report,
                            const struct profile *profile, FILE *file)
{
    return show_session(report, file) && show_host(report, file) &&
           show_times(report, file) && show_sampler(report, file) &&
           show_pcpus(report, profile, file) && show_domains(report, file) &&
           flat_header_guests(report, file) &&
           flat_header_payloads(report, file) && show_notes(report, file);
}
