/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --exits: why guests left the processor, how often, and for how long.
 */
#include "base/must.h"
#include "waits-text.h"
#include "report/text/grid.h"
#include "report/text/header.h"
#include "report/text/layout.h"
#include "base/scope.h"
#include "report/model/format.h"

#include <inttypes.h>
#include <stdlib.h>

/* Takes over who. */
static void add_exit_row(struct grid *grid, const struct exit_amount *amount,
                         const struct exit_amount *all, char *who)
{
    uint64_t count = amount->count ?: 1;

    grid_add(grid, must_text("%" PRIu64, amount->count));
    grid_add(grid,
             must_text("%.1f%%", percent_of(amount->in_xen, all->in_xen)));
    grid_add(grid, format_short(amount->in_xen));
    grid_add(grid, format_short(amount->shortest));
    grid_add(grid, format_short(amount->in_xen / count));
    grid_add(grid, format_short(amount->longest));
    grid_add(grid, format_short(amount->away));
    grid_add(grid, who);
}

static void add_exit_rows(struct grid *grid, const struct loaded *loaded,
                          const struct exit_row *const *rows)
{
    const struct exit_times *times = &loaded->exits;
    const struct exit_domain *domain = NULL;

    for ( size_t i = 0; i < times->rows.count; i++ )
    {
        const struct exit_row *row = rows[i];

        if ( exit_domain_of(times, row) != domain )
        {
            domain = exit_domain_of(times, row);
            add_exit_row(grid, &domain->amount, &domain->amount,
                         waits_domain_name(loaded, domain->key.uuid,
                                           domain->key.domain));
        }
        add_exit_row(
            grid, &row->amount, &domain->amount,
            must_text("  %s", names_text(&loaded->names, row->key.name)));
    }
}

static void print_exits_table(const struct report *report, FILE *file)
{
    const struct exit_row **rows;
    struct grid grid = {.column_count = 0};

    exit_times_sorted(&report->loaded->exits, &rows);
    grid_column(&grid, "exits", true, false);
    grid_column(&grid, "percent", true, false);
    grid_column(&grid, "in Xen", true, false);
    grid_column(&grid, "shortest", true, false);
    grid_column(&grid, "average", true, false);
    grid_column(&grid, "longest", true, false);
    grid_column(&grid, "away", true, false);
    grid_column(&grid, "domain, and why", false, true);
    add_exit_rows(&grid, report->loaded, rows);
    grid_print_table(&grid, report->layout->width, true, file);
    free(rows);
}

static void print_exits(const struct report *report, FILE *file)
{
    struct profile profile = {.time_all = 0};

    profile_by_domain(&profile, report->loaded);
    header_print(report, &profile, file);
    fputc('\n', file);
    print_exits_table(report, file);
    profile_free(&profile);
}

const struct view view_exits = {
    .print = print_exits,
    .expect = exits_expect,
    .option = "exits",
    .what = "why guests left the processor, how often, how long",
    .accounts = true,
};
