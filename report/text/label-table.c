/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "label-table.h"

#include "base/must.h"
#include "layout.h"
#include "base/scope.h"
#include "report/model/areas.h"
#include "report/model/format.h"

#include <stdlib.h>
#include <string.h>

bool label_has_column(const struct query *query, enum label label)
{
    return label != LABEL_IMAGE || query->sort_given;
}

static void add_columns(struct grid *grid, const struct label_table *table)
{
    for ( const char *const *title = table->titles; *title; title++ )
        grid_column(grid, *title, **title, false);
    for ( size_t i = 0; i < table->labels.count; i++ )
    {
        const struct label_kind *kind = label_kind(table->labels.label[i]);

        if ( label_has_column(table->report->query, table->labels.label[i]) )
            grid_column(grid, kind->name, kind->number,
                        !kind->number && !kind->narrow);
    }
}

static void add_label_row(struct grid *grid, const struct label_table *table,
                          size_t row)
{
    table->numbers(grid, table->data, row, false);
    for ( size_t i = 0; i < table->labels.count; i++ )
    {
        enum label label = table->labels.label[i];

        if ( label_has_column(table->report->query, label) )
            grid_add(grid, table->text(table->data, row, label));
    }
}

/* The first column that has room for words, or the first one. */
static size_t words_column(const struct label_table *table)
{
    size_t first = table->labels.count;

    for ( size_t i = table->labels.count; i-- > 0; )
        if ( label_has_column(table->report->query, table->labels.label[i]) &&
             !label_kind(table->labels.label[i])->narrow )
            first = i;
    return first < table->labels.count ? first : 0;
}

/* The rows below the limit, so that columns still add up. */
static void add_sum(struct grid *grid, const struct label_table *table,
                    size_t from)
{
    const size_t words = words_column(table);

    table->numbers(grid, table->data, from, true);
    for ( size_t i = 0; i < table->labels.count; i++ )
        if ( label_has_column(table->report->query, table->labels.label[i]) )
            grid_add(grid, i == words
                               ? must_text("(%zu more)", table->count - from)
                               : must(strdup("-")));
}

void label_table_print(const struct label_table *table, FILE *file)
{
    const struct report *report = table->report;
    size_t shown = query_rows(report->query, table->count, table->large,
                              table->data);
    size_t hidden = table->count - shown;
    struct grid grid = {.count = 0};

    add_columns(&grid, table);
    for ( size_t i = 0; i < shown; i++ )
        add_label_row(&grid, table, i);
    if ( hidden && table->sums )
        add_sum(&grid, table, shown);
    grid_print_table(&grid, report->layout->width, table->count, file);
    if ( hidden && !table->sums )
        fprintf(file, "(%zu more, each with less)\n", hidden);
}

char *percent_text(const struct profile *profile, uint64_t time)
{
    return must_text("%.2f%%", profile_percent(profile, time));
}

static const char *name_or_none(const struct report *report, uint64_t name)
{
    return name == LABEL_NONE
               ? NULL
               : names_text(&report->loaded->names, (uint32_t)name);
}

/* The image, if nothing else in the row says it. */
static const char *image_wanted(const struct report *report,
                                const struct row_key *key)
{
    const char *image = name_or_none(report, key->value[LABEL_IMAGE]);
    uint64_t mode = key->value[LABEL_MODE];

    if ( !image || report->query->sort_given || !strcmp(image, SPOOLED_NAME) )
        return NULL;
    if ( mode != LABEL_NONE &&
         !strcmp(image, xenoprof_mode_name((unsigned int)mode)) )
        return NULL;
    return format_without_path(image);
}

/* Whether another symbol of the same image would be shown by the same name. */
static bool shared(const struct report *report, const struct profile *profile,
                   const struct row_key *key)
{
    uint64_t symbol = key->value[LABEL_SYMBOL];
    const char *name = label_short_symbol(name_or_none(report, symbol));

    for ( size_t i = 0; i < profile->count; i++ )
    {
        const struct row_key *other = &profile->sorted[i]->key;
        uint64_t second = other->value[LABEL_SYMBOL];

        if ( second != symbol && second != LABEL_NONE &&
             other->value[LABEL_IMAGE] == key->value[LABEL_IMAGE] &&
             !strcmp(label_short_symbol(name_or_none(report, second)), name) )
            return true;
    }
    return false;
}

/* "get_page", or "get_page [mm.c]" if there are several. */
static char *own_name(const struct report *report,
                      const struct profile *profile, const struct row_key *key)
{
    const char *whole = name_or_none(report, key->value[LABEL_SYMBOL]);
    const char *name = whole ? label_short_symbol(whole) : NULL;
    char *file SCOPE_FREE = NULL;

    if ( !whole || name == whole || !shared(report, profile, key) )
        return label_text(report->loaded, LABEL_SYMBOL,
                          key->value[LABEL_SYMBOL], key->unnamed);
    file = must(strndup(whole, (size_t)(name - whole) - 1));
    return must_text("%s [%s]", name, format_without_path(file));
}

char *row_symbol_text(const struct report *report,
                      const struct profile *profile, const struct row_key *key)
{
    const char *image = image_wanted(report, key);
    char *symbol, *text;

    /* Of what is not profiled only this is known. */
    if ( key->value[LABEL_MODE] == LABEL_NONE && !report->query->sort_given )
        return must(strdup(DOMAIN_OTHER_NAME));
    if ( key->area && key->area != AREA_USER )
        return area_text(report->loaded, (enum area)key->area, 0);
    symbol = key->area
                 ? area_text(report->loaded, AREA_USER, (uint32_t)key->unnamed)
                 : own_name(report, profile, key);
    if ( !symbol || !image )
        return symbol;
    text = must_text("%s [%s]", symbol, image);
    free(symbol);
    return text;
}
