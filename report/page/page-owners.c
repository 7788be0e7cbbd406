/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-owners.h"

#include "report/model/account.h"
#include "report/waits/waits.h"

#define NS_PER_US 1000u

/* Whose rows follow each other. */
struct owner_rows {
    const struct time_row *rows;
    size_t count;
    uint64_t begin; /* of the page's time, */
    uint64_t bin;   /* and of its first bin */
};

/* What of a row is in the page's time.  Returns false if nothing is. */
static bool cut_to_page(const struct owner_rows *rows, size_t index,
                        struct time_row *ret)
{
    const struct time_row *row = &rows->rows[index];

    *ret = *row;
    if ( !row->time || row->to <= rows->begin )
        return false;
    if ( row->from >= rows->begin )
        return true;
    ret->from = rows->begin;
    ret->time = waits_between(row->time, row->to - row->from,
                              ret->from - row->from, row->to - row->from);
    return true;
}

/* Whether what has no sample is shown, too: a filter may turn it down.  Of all
 * time of pCPUs that is what was idle. */
static bool shows_rest(const struct report *report, enum time_row_kind kind,
                       uint32_t domain)
{
    const struct cell cell = {
        .key = kind == TIME_ROW_HOST
                   ? placeless_key(DOMAIN_INDEX_IDLE, CELL_SEVERAL,
                                   XENOPROF_MODE_IDLE)
                   : placeless_key(domain, CELL_SEVERAL, MODE_UNKNOWN)};

    return selection_shows(&report->query->selection, report->loaded, &cell);
}

static void put_owner(const struct report *report, const struct time_row *row,
                      struct bytes *ret)
{
    const struct loaded *loaded = report->loaded;
    const struct owner *owner = row->owner
                                    ? slots_at(&loaded->slots, row->owner)
                                    : NULL;
    uint32_t domain = DOMAIN_INDEX_OTHER;

    if ( owner && owner->key.domain == SLOTS_IDLE )
        domain = DOMAIN_INDEX_IDLE;
    else if ( owner )
        domain = account_domain(loaded, &owner->key);
    bytes_number(ret, domain);
    bytes_number(ret,
                 owner && domain != DOMAIN_INDEX_OTHER ? owner->key.vcpu : 0);
    bytes_number(ret, shows_rest(report, row->kind, domain));
}

static void put_owner_rows(const struct owner_rows *rows, struct bytes *ret)
{
    uint64_t count = 0, last = 0;
    struct time_row row;

    for ( size_t i = 0; i < rows->count; i++ )
        count += cut_to_page(rows, i, &row);
    bytes_number(ret, count);
    for ( size_t i = 0; i < rows->count; i++ )
    {
        uint64_t from, to;

        if ( !cut_to_page(rows, i, &row) )
            continue;
        from = (row.from - rows->bin) / NS_PER_US;
        to = (row.to - rows->bin) / NS_PER_US;
        bytes_number(ret, from - last);
        bytes_number(ret, to - from);
        bytes_number(ret, (row.time + NS_PER_US / 2) / NS_PER_US);
        last = from;
    }
}

void page_owners_put(const struct report *report, struct bytes *ret)
{
    const struct time_rows *all = &report->loaded->rows;
    const struct timeline *timeline = &report->loaded->timeline;
    struct owner_rows rows = {.begin = timeline->begin,
                              .bin = timeline_start(timeline)};

    if ( !page_has_owners(report->loaded) )
        return;
    for ( size_t i = 0; i < all->count; i += rows.count )
    {
        rows.rows = &all->items[i];
        rows.count = 1;
        while ( i + rows.count < all->count &&
                rows.rows[rows.count].owner == rows.rows->owner &&
                rows.rows[rows.count].kind == rows.rows->kind )
            rows.count++;
        bytes_number(ret, rows.rows->kind);
        put_owner(report, rows.rows, ret);
        put_owner_rows(&rows, ret);
    }
}
