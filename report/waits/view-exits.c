/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --exits: why guests left the processor, how often, and for how long;
 * xenopreport-json(5) describes the object.
 */
#include "base/must.h"
#include "waits-text.h"
#include "report/text/header.h"
#include "report/text/json-members.h"
#include "report/text/json-session.h"
#include "report/text/layout.h"
#include "report/model/format.h"

#include <stdlib.h>

/* Takes over who. */
static void add_amount_cells(struct sheet *sheet,
                             const struct exit_amount *amount,
                             const struct exit_amount *all, char *who)
{
    uint64_t count = amount->count ?: 1;
    char *share = must_text("%.1f%%", percent_of(amount->in_xen, all->in_xen));

    sheet_count(sheet, "exits", "count", amount->count);
    sheet_number(sheet, "percent", NULL, 0, share);
    sheet_short(sheet, "in Xen", "xen_ns", amount->in_xen);
    sheet_short(sheet, "shortest", "shortest_ns", amount->shortest);
    sheet_short(sheet, "average", NULL, amount->in_xen / count);
    sheet_short(sheet, "longest", "longest_ns", amount->longest);
    sheet_short(sheet, "away", "away_ns", amount->away);
    sheet_words(sheet, "domain, and why", true, who);
}

static void add_exit(struct sheet *sheet, const struct loaded *loaded,
                     const struct exit_row *row)
{
    const char *name = names_text(&loaded->names, row->key.name);

    sheet_row(sheet, true);
    if ( sheet->json )
        json_put_text(sheet->json, "exit", name);
    add_amount_cells(sheet, &row->amount,
                     &exit_domain_of(&loaded->exits, row)->amount,
                     must_text("  %s", name));
    sheet_row_end(sheet);
}

/* Returns the first row of the next domain. */
static size_t add_exits_domain(struct sheet *sheet, const struct loaded *loaded,
                               const struct exit_row *const *rows, size_t at)
{
    const struct exit_times *times = &loaded->exits;
    const struct exit_domain *domain = exit_domain_of(times, rows[at]);

    sheet_row(sheet, false);
    waits_put_domain(sheet, loaded, domain->key.uuid, domain->key.domain);
    add_amount_cells(
        sheet, &domain->amount, &domain->amount,
        waits_domain_name(loaded, domain->key.uuid, domain->key.domain));
    sheet_rows(sheet, "exits");
    while ( at < times->rows.count &&
            exit_domain_of(times, rows[at]) == domain )
        add_exit(sheet, loaded, rows[at++]);
    sheet_rows_end(sheet);
    sheet_row_end(sheet);
    return at;
}

static void fill_exits(struct sheet *sheet, const struct loaded *loaded)
{
    const struct exit_row **rows;

    exit_times_sorted(&loaded->exits, &rows);
    sheet_rows(sheet, "domains");
    for ( size_t at = 0; at < loaded->exits.rows.count; )
        at = add_exits_domain(sheet, loaded, rows, at);
    sheet_rows_end(sheet);
    free(rows);
}

static void print_exits(const struct report *report, FILE *file)
{
    struct sheet sheet = {.json = NULL};
    struct profile profile;

    profile_by_domain(&profile, report->loaded);
    header_print(report, &profile, file);
    fputc('\n', file);
    fill_exits(&sheet, report->loaded);
    grid_print_table(&sheet.grid, report->layout->width, true, file);
    profile_free(&profile);
}

static void print_exits_json(const struct report *report, FILE *file)
{
    struct profile profile;
    struct json json;

    profile_by_domain(&profile, report->loaded);
    json_begin_report(&json, report, &profile, file);
    fill_exits(&(struct sheet){.json = &json}, report->loaded);
    json_end_report(&json);
    profile_free(&profile);
}

const struct view view_exits = {
    .print = print_exits,
    .print_json = print_exits_json,
    .expect = exits_expect,
    .option = "exits",
    .what = "why guests left the processor, how often, how long",
    .accounts = true,
};
