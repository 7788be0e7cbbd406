/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flat report, which is shown when nothing else is asked for: a header, a
 * line for each domain, the table, and hints on what to ask next.
 */
#include "base/must.h"
#include "header.h"
#include "header-short.h"
#include "label-table.h"
#include "layout.h"
#include "base/scope.h"
#include "base/text.h"
#include "cost-text.h"
#include "report/model/domain-text.h"
#include "report/model/format.h"
#include "report/types/type-text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESSES_FEW 10u /* with no more unnamed, no hint is given */
#define DOMAINS_NAMED 5u

#define PLAIN                                                                  \
    "abcdefghijklmnopqrstuvwxyz"                                               \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

struct flat {
    const struct report *report;
    const struct profile *profile;
};

/* What is left of a domain's time: idle, or not known. */
static const enum xenoprof_mode modes[] = {
    XENOPROF_MODE_XEN, XENOPROF_MODE_KERNEL, XENOPROF_MODE_USER};

#define MODES (sizeof(modes) / sizeof(modes[0]))

/* Returns the sum of the rows from one to another; its key says nothing. */
static struct row sum_rows(const struct profile *profile, size_t from,
                           size_t to)
{
    struct row sum = {.samples = 0};

    for ( size_t i = from; i < to; i++ )
    {
        const struct row *row = profile->sorted[i];

        sum.samples += row->samples;
        sum.time += row->time;
        for ( unsigned int mode = 0; mode < XENOPROF_MODES; mode++ )
            sum.time_by_mode[mode] += row->time_by_mode[mode];
    }
    return sum;
}

static bool is_large_row(const void *data, size_t row, double limit)
{
    const struct profile *profile = ((const struct flat *)data)->profile;

    return profile_percent(profile, profile->sorted[row]->time) >= limit;
}

/* A higher limit than the usual one hides no domain more. */
static size_t summary_rows(const struct flat *flat)
{
    static const struct query usual = {.percent_limit_given = false};
    size_t count = flat->profile->count;
    size_t asked = query_rows(flat->report->query, count, is_large_row, flat);
    size_t least = query_rows(&usual, count, is_large_row, flat);

    return asked > least ? asked : least;
}

/* Takes name over. */
static void add_summary_row(struct grid *grid, const struct flat *flat,
                            size_t from, size_t to, char *name)
{
    const struct loaded *loaded = flat->report->loaded;
    const struct row row = sum_rows(flat->profile, from, to);

    grid_cell(grid, "percent", true, false,
              percent_text(flat->profile, row.time));
    grid_cell(grid, type_column(loaded), true, false,
              type_amount(loaded, row.time));
    for ( size_t i = 0; i < MODES; i++ )
    {
        uint64_t time = row.time_by_mode[modes[i]];

        grid_cell(grid, xenoprof_mode_name(modes[i]), true, false,
                  time ? percent_text(flat->profile, time) : must_text("-"));
    }
    grid_cell(grid, label_name(LABEL_DOMAIN), false, true, name);
}

static void print_domain_summary(const struct report *report,
                                 const struct profile *profile, FILE *file)
{
    const struct flat flat = {report, profile};
    size_t shown = summary_rows(&flat);
    struct grid grid = {.count = 0};

    for ( size_t i = 0; i < shown; i++ )
    {
        uint64_t domain = profile->sorted[i]->key.value[LABEL_DOMAIN];

        add_summary_row(&grid, &flat, i, i + 1,
                        cost_mark(report->loaded, (uint32_t)domain,
                                  profile->time_all,
                                  label_text(report->loaded, LABEL_DOMAIN,
                                             domain, LABEL_NONE)));
    }
    if ( shown < profile->count )
        add_summary_row(&grid, &flat, shown, profile->count,
                        must_text("(%zu more)", profile->count - shown));
    grid_print(&grid, report->layout->width, true, file);
    grid_free(&grid);
    fputc('\n', file);
}

static void print_summary(const struct report *report, FILE *file)
{
    struct profile profile;

    profile_by_domain(&profile, report->loaded);
    if ( profile.count )
        print_domain_summary(report, &profile, file);
    profile_free(&profile);
}

static void add_flat_numbers(struct grid *grid, const void *data, size_t row,
                             bool rest)
{
    const struct flat *flat = data;
    const struct row sum = sum_rows(flat->profile, row,
                                    rest ? flat->profile->count : row + 1);

    grid_add(grid, percent_text(flat->profile, sum.time));
    grid_add(grid, must_text("%" PRIu64, sum.samples));
    grid_add(grid, type_amount(flat->report->loaded, sum.time));
}

static char *flat_row_text(const void *data, size_t row, enum label label)
{
    const struct flat *flat = data;
    const struct row_key *key = &flat->profile->sorted[row]->key;

    return label == LABEL_SYMBOL
               ? row_symbol_text(flat->report, flat->profile, key)
               : label_text(flat->report->loaded, label, key->value[label],
                            LABEL_NONE);
}

static void print_flat_rows(const struct flat *flat, FILE *file)
{
    const char *const titles[] = {"percent", "samples",
                                  type_column(flat->report->loaded), NULL};
    const struct label_table table = {
        .report = flat->report,
        .data = flat,
        .labels = flat->report->query->sort,
        .count = flat->profile->count,
        .titles = titles,
        .numbers = add_flat_numbers,
        .sums = true,
        .text = flat_row_text,
        .large = is_large_row,
    };

    label_table_print(&table, file);
}

/* Addresses in the kernel of each domain, by its index, without a name. */
static size_t *count_unnamed(const struct loaded *loaded,
                             const struct profile *profile)
{
    size_t *counts = must(calloc(loaded->domains.count, sizeof(*counts)));

    for ( size_t i = 0; i < profile->count; i++ )
    {
        const struct row_key *key = &profile->sorted[i]->key;

        if ( key->value[LABEL_MODE] == XENOPROF_MODE_KERNEL &&
             key->unnamed != LABEL_NONE )
            counts[key->value[LABEL_DOMAIN]]++;
    }
    return counts;
}

static void show_hint(const struct loaded *loaded, uint32_t index, size_t count,
                      FILE *file)
{
    const struct loaded_domain *domain = loaded_domain(loaded, index);
    const char *name = names_text(&loaded->names, domain->name);
    char *text SCOPE_FREE = domain_text(loaded, index);
    char *clean SCOPE_FREE = must(text_clean(text));

    fprintf(file, "%s: %zu kernel addresses have no name; give --guest-kernel=",
            clean, count);
    /* With nothing that a shell would read. */
    if ( name && *name && *name != '-' && !name[strspn(name, PLAIN)] )
        fprintf(file, "%s:FILE\n", name);
    else
        fprintf(file, "%" PRId32 ":FILE\n", domain_number(domain));
}

static void show_hints(const struct loaded *loaded, const size_t *counts,
                       FILE *file)
{
    size_t found = 0;

    for ( uint32_t i = 0; i < loaded->domains.count; i++ )
    {
        if ( counts[i] <= ADDRESSES_FEW )
            continue;
        if ( !found )
            fputc('\n', file);
        if ( found++ < DOMAINS_NAMED )
            show_hint(loaded, i, counts[i], file);
    }
    if ( found > DOMAINS_NAMED )
        fprintf(file, "(and %zu more domains)\n", found - DOMAINS_NAMED);
}

/* A table says where; why is in the stacks. */
static void show_stacks(const struct report *report, FILE *file)
{
    struct stack_counts counts = loaded_stacks(report->loaded, true);

    if ( counts.callers && !report->query->sort_given )
        fprintf(file,
                "\n%" PRIu64 " of %" PRIu64
                " samples have callers; --callgraph shows who called whom\n",
                counts.callers, counts.samples);
}

static void print_hints(const struct report *report, FILE *file)
{
    static const struct label_list labels = {
        .label = {LABEL_DOMAIN, LABEL_MODE, LABEL_SYMBOL}, .count = 3};
    struct profile profile;
    size_t *counts SCOPE_FREE = NULL;

    if ( !label_list_has(&report->query->sort, LABEL_SYMBOL) )
        return;
    show_stacks(report, file);
    profile_build(&profile, report->loaded, &labels);
    counts = count_unnamed(report->loaded, &profile);
    show_hints(report->loaded, counts, file);
    profile_free(&profile);
}

static void print_flat(const struct report *report, FILE *file)
{
    const struct query *query = report->query;
    struct label_list labels = query->sort;
    struct profile profile;
    const struct flat flat = {report, &profile};

    labels.areas = true;
    profile_build(&profile, report->loaded, &labels);
    header_print(report, &profile, file);
    fputc('\n', file);
    if ( !query->sort_given && !report->layout->no_summary )
        print_summary(report, file);
    print_flat_rows(&flat, file);
    print_hints(report, file);
    fputc('\n', file);
    header_end(report, &profile, file);
    profile_free(&profile);
}

const struct view view_rows = {
    .print = print_flat,
    .option = "table",
    .what = "a row for each function, with samples and times",
};
