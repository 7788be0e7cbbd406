/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exit-times.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/entry/entry-text.h"

#include <stdlib.h>
#include <string.h>

void exit_times_init(struct exit_times *times)
{
    table_init(&times->rows, sizeof(struct exit_row_key),
               sizeof(struct exit_row));
    table_init(&times->domains, sizeof(struct exit_row_key),
               sizeof(struct exit_domain));
}

void exit_times_free(struct exit_times *times)
{
    table_free(&times->rows);
    table_free(&times->domains);
}

static void add_amount(struct exit_amount *to,
                       const struct xenoprof_exits *exits)
{
    if ( !to->count || exits->shortest < to->shortest )
        to->shortest = exits->shortest;
    if ( exits->longest > to->longest )
        to->longest = exits->longest;
    to->count += exits->count;
    to->in_xen += exits->in_xen;
    to->away += exits->away;
}

static void name_entry(struct names *names, const struct xenoprof_entry *entry,
                       uint32_t *ret)
{
    char *text SCOPE_FREE = entry_text(entry);

    must_do(names_add(names, text, ret));
}

void exit_times_add(struct exit_times *times, struct names *names,
                    const struct time_span *span, uint64_t time,
                    const struct xenoprof_exits *exits)
{
    struct exit_row_key key = {.domain = exits->domain};
    struct exit_domain *domain;
    struct exit_row *row;

    if ( time <= span->from || time > span->to || !exits->count )
        return;
    memcpy(key.uuid, exits->uuid, sizeof(key.uuid));
    domain = must(table_put(&times->domains, &key));
    name_entry(names, &exits->entry, &key.name);
    row = must(table_put(&times->rows, &key));
    row->of = (uint32_t)table_index(&times->domains, domain);
    add_amount(&row->amount, exits);
    add_amount(&domain->amount, exits);
}

struct sorted_exit {
    const struct exit_row *row;
    const struct exit_domain *domain;
};

static int compare_amounts(const struct exit_amount *a,
                           const struct exit_amount *b)
{
    if ( a->in_xen != b->in_xen )
        return a->in_xen < b->in_xen ? 1 : -1;
    return (a->count < b->count) - (a->count > b->count);
}

static int compare_exit_rows(const void *left, const void *right)
{
    const struct sorted_exit *a = left, *b = right;

    if ( a->domain != b->domain )
        return compare_amounts(&a->domain->amount, &b->domain->amount)
                   ?: memcmp(&a->domain->key, &b->domain->key,
                             sizeof(a->domain->key));
    return compare_amounts(&a->row->amount, &b->row->amount)
               ?: memcmp(&a->row->key, &b->row->key, sizeof(a->row->key));
}

void exit_times_sorted(const struct exit_times *times,
                       const struct exit_row ***ret)
{
    size_t count = times->rows.count;
    struct sorted_exit *sorted SCOPE_FREE = must(
        calloc(count + 1, sizeof(*sorted)));
    const struct exit_row **rows = must(calloc(count + 1, sizeof(*rows)));

    *ret = rows;
    for ( size_t i = 0; i < count; i++ )
    {
        sorted[i].row = table_at(&times->rows, i);
        sorted[i].domain = exit_domain_of(times, sorted[i].row);
    }
    qsort(sorted, count, sizeof(*sorted), compare_exit_rows);
    for ( size_t i = 0; i < count; i++ )
        rows[i] = sorted[i].row;
}
