/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flat-rows.h"

#define LIMIT_DEFAULT 0.5 /* percent */
#define ROWS_DEFAULT  20u

/* A table of a thousand small rows still has a top. */
static size_t shown_by_default(const struct profile *profile)
{
    size_t shown = profile_limit(profile, LIMIT_DEFAULT);

    if ( shown < ROWS_DEFAULT )
        shown = profile->count < ROWS_DEFAULT ? profile->count : ROWS_DEFAULT;
    return shown;
}

size_t flat_rows_shown(const struct query *query, const struct profile *profile)
{
    return query->percent_limit_given
               ? profile_limit(profile, query->percent_limit)
               : shown_by_default(profile);
}

size_t flat_rows_at_least(const struct query *query,
                          const struct profile *profile)
{
    size_t asked = flat_rows_shown(query, profile);
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

bool flat_has_column(const struct query *query, enum label label)
{
    return label != LABEL_IMAGE || query->sort_given;
}

void flat_label_column(struct grid *grid, enum label label)
{
    bool number = label == LABEL_VCPU || label == LABEL_PCPU;

    grid_column(grid, label_name(label), number,
                !number && label != LABEL_MODE);
}

char *flat_percent(const struct profile *profile, uint64_t time)
{
    return format_text("%.2f%%", profile_percent(profile, time));
}
