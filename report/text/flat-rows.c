/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flat-rows.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define LIMIT_DEFAULT 0.5 /* percent */
#define ROWS_DEFAULT  20u
#define NS_PER_MS     1000000u

/* A table of a thousand small rows still has a top. */
static size_t shown_by_default(const struct profile *profile)
{
    size_t shown = profile_limit(profile, LIMIT_DEFAULT);

    if ( shown < ROWS_DEFAULT )
        shown = profile->count < ROWS_DEFAULT ? profile->count : ROWS_DEFAULT;
    return shown;
}

size_t flat_rows_shown(const struct options *options,
                       const struct profile *profile)
{
    return options->percent_limit_given
               ? profile_limit(profile, options->percent_limit)
               : shown_by_default(profile);
}

size_t flat_rows_at_least(const struct options *options,
                          const struct profile *profile)
{
    size_t asked = flat_rows_shown(options, profile);
    size_t usual = shown_by_default(profile);

    return asked > usual ? asked : usual;
}

struct row flat_rows_hidden(const struct profile *profile, size_t shown)
{
    struct row sum = {.samples = 0};

    for ( size_t i = shown; i < profile->count; i++ )
    {
        const struct row *row = profile->sorted[i];

        sum.samples += row->samples;
        sum.time += row->time;
        for ( unsigned int mode = 0; mode < XENOPROF_MODES; mode++ )
            sum.time_by_mode[mode] += row->time_by_mode[mode];
    }
    return sum;
}

void flat_label_column(struct grid *grid, enum label label)
{
    bool number = label == LABEL_VCPU || label == LABEL_PCPU;

    grid_column(grid, label_name(label), number,
                !number && label != LABEL_MODE);
}

char *flat_text(const char *format, ...)
{
    va_list arguments;
    char *text;
    int written;

    va_start(arguments, format);
    written = vasprintf(&text, format, arguments);
    va_end(arguments);
    return written < 0 ? NULL : text;
}

char *flat_percent(const struct profile *profile, uint64_t time)
{
    return flat_text("%.2f%%", profile_percent(profile, time));
}

char *flat_seconds(uint64_t time)
{
    uint64_t ms = (time + NS_PER_MS / 2) / NS_PER_MS;

    return flat_text("%" PRIu64 ".%03" PRIu64 " s", ms / 1000, ms % 1000);
}
