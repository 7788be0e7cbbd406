/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flat-summary.h"

#include "flat-rows.h"
#include "grid.h"
#include "layout.h"

/* What is left of a domain's time: idle, or not known. */
static const enum xenoprof_mode modes[] = {
    XENOPROF_MODE_XEN, XENOPROF_MODE_KERNEL, XENOPROF_MODE_USER};

#define MODES (sizeof(modes) / sizeof(modes[0]))

static void add_columns(struct grid *grid)
{
    grid_column(grid, "percent", true, false);
    grid_column(grid, "time", true, false);
    for ( size_t i = 0; i < MODES; i++ )
        grid_column(grid, xenoprof_mode_name(modes[i]), true, false);
    grid_column(grid, label_name(LABEL_DOMAIN), false, true);
}

/* Takes name over. */
static void add_row(struct grid *grid, const struct profile *profile,
                    const struct row *row, char *name)
{
    grid_add(grid, flat_percent(profile, row->time));
    grid_add(grid, format_seconds(row->time));
    for ( size_t i = 0; i < MODES; i++ )
    {
        uint64_t time = row->time_by_mode[modes[i]];

        grid_add(grid, time ? flat_percent(profile, time) : format_text("-"));
    }
    grid_add(grid, name);
}

static bool print_profile(const struct report *report,
                          const struct profile *profile, FILE *file)
{
    size_t shown = flat_rows_at_least(report->query, profile);
    struct grid grid = {.count = 0};
    bool printed;

    add_columns(&grid);
    for ( size_t i = 0; i < shown; i++ )
    {
        const struct row *row = profile->sorted[i];

        add_row(&grid, profile, row,
                label_text(report->loaded, LABEL_DOMAIN,
                           row->key.value[LABEL_DOMAIN], LABEL_NONE));
    }
    if ( shown < profile->count )
    {
        struct row hidden = flat_rows_hidden(profile, shown);

        hidden.key.value[LABEL_DOMAIN] = LABEL_NONE;
        add_row(&grid, profile, &hidden,
                format_text("(%zu more)", profile->count - shown));
    }
    printed = grid_print(&grid, report->layout->width, true, file);
    grid_free(&grid);
    return printed && fputc('\n', file) != EOF;
}

bool flat_summary(const struct report *report, FILE *file)
{
    static const struct label_list labels = {.label = {LABEL_DOMAIN},
                                             .count = 1};
    struct profile profile;
    bool done = profile_build(&profile, report->loaded, &labels) &&
                (!profile.count || print_profile(report, &profile, file));

    profile_free(&profile);
    return done;
}
