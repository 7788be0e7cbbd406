/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long each wait for a pCPU was, below --waits. */
#include "base/must.h"
#include "waits-text.h"
#include "report/text/grid.h"
#include "report/text/layout.h"
#include "base/scope.h"
#include "report/model/format.h"

#include <inttypes.h>
#include <stdlib.h>

#define TAKERS_SHOWN 2u

/* What a taker is called; malloc'ed. */
static char *taker_name(const struct loaded *loaded,
                        const struct taker_row *taker)
{
    const char *name = waits_name_of(loaded, taker->key.uuid, taker->key.by);

    if ( taker->key.by == XENOPROF_NOBODY )
        return must_text("nobody");
    return name && *name ? must_text("%s", name)
                         : must_text("%u", taker->key.by);
}

/* "Domain-0 80%, web 12%" */
static char *takers_text(const struct loaded *loaded,
                         const struct length_row *row)
{
    const struct taker_row *takers[TAKERS_SHOWN];
    size_t count = lengths_takers(&loaded->lengths, row, takers, TAKERS_SHOWN);
    char *text = must_text("%s", "");

    for ( size_t i = 0; i < count; i++ )
    {
        char *before SCOPE_FREE = text;
        char *name SCOPE_FREE = taker_name(loaded, takers[i]);

        text = must_text("%s%s%s %.0f%%", before, i ? ", " : "", name,
                         percent_of(takers[i]->sum, row->sum));
    }
    return text;
}

static void add_length_row(struct grid *grid, const struct loaded *loaded,
                           const struct length_row *row)
{
    char *domain SCOPE_FREE = waits_domain_name(loaded, row->key.uuid,
                                                row->key.domain);

    grid_add(grid, must_text("%" PRIu64, row->count));
    grid_add(grid, format_short(lengths_under(row, 50)));
    grid_add(grid, format_short(lengths_under(row, 99)));
    grid_add(grid, format_short(row->longest));
    grid_add(grid,
             must_text("%s",
                       row->key.why == XENOPROF_WOKEN ? "woken" : "preempted"));
    grid_add(grid, domain ? must_text("%s v%u", domain, row->key.vcpu) : NULL);
    grid_add(grid, takers_text(loaded, row));
}

void waits_print_lengths(const struct report *report, FILE *file)
{
    const struct wait_lengths *lengths = &report->loaded->lengths;
    struct length_row **rows SCOPE_FREE = lengths_sorted(lengths);
    struct grid grid = {.column_count = 0};

    if ( !lengths->rows.count )
        return;
    fputs("\neach wait for a pCPU, by Xen's traces:\n", file);
    grid_column(&grid, "waits", true, false);
    grid_column(&grid, "half in", true, false);
    grid_column(&grid, "99% in", true, false);
    grid_column(&grid, "longest", true, false);
    grid_column(&grid, "since", false, false);
    grid_column(&grid, "domain and vCPU", false, true);
    grid_column(&grid, "who had the pCPU", false, true);
    for ( size_t i = 0; i < lengths->rows.count; i++ )
        add_length_row(&grid, report->loaded, rows[i]);
    grid_print_table(&grid, report->layout->width, true, file);
}
