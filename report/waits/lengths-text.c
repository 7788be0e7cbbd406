/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long each wait for a pCPU was, below --waits. */
#include "base/must.h"
#include "waits-text.h"
#include "report/text/json-members.h"
#include "base/scope.h"
#include "report/model/format.h"

#include <stdlib.h>

#define TAKERS_SHOWN 2u
#define TAKERS_MAX   64u

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

static void put_taker(struct json *json, const struct loaded *loaded,
                      const struct taker_row *taker)
{
    bool nobody = taker->key.by == XENOPROF_NOBODY;

    json_object_begin_flat(json);
    if ( nobody )
        json_put_text(json, "domain", NULL);
    else
        json_put_number(json, "domain", taker->key.by);
    json_put_text(
        json, "domain_name",
        nobody ? NULL : waits_name_of(loaded, taker->key.uuid, taker->key.by));
    json_put_number(json, "sum_ns", taker->sum);
    json_object_end(json);
}

/* What a table has no room for. */
static void put_buckets_and_takers(struct json *json,
                                   const struct loaded *loaded,
                                   const struct length_row *row)
{
    const struct taker_row *takers[TAKERS_MAX];
    size_t count = lengths_takers(&loaded->lengths, row, takers, TAKERS_MAX);

    json_key(json, "buckets");
    json_array_begin_flat(json);
    for ( unsigned int i = 0; i < XENOPROF_LATENCY_BUCKETS; i++ )
        json_u64(json, row->buckets[i]);
    json_array_end(json);
    json_begin_array(json, "by");
    for ( size_t i = 0; i < count; i++ )
        put_taker(json, loaded, takers[i]);
    json_array_end(json);
}

static void add_length(struct sheet *sheet, const struct loaded *loaded,
                       const struct length_row *row)
{
    const struct length_key *key = &row->key;
    const char *since = key->why == XENOPROF_WOKEN ? "woken" : "preempted";
    char *domain SCOPE_FREE = waits_domain_name(loaded, key->uuid, key->domain);

    sheet_row(sheet, false);
    waits_put_domain(sheet, loaded, key->uuid, key->domain);
    sheet_count(sheet, NULL, "vcpu", key->vcpu);
    if ( sheet->json )
        json_put_text(sheet->json, "since", since);
    sheet_count(sheet, "waits", "count", row->count);
    sheet_short(sheet, "half in", NULL, lengths_under(row, 50));
    sheet_short(sheet, "99% in", NULL, lengths_under(row, 99));
    sheet_count(sheet, NULL, "sum_ns", row->sum);
    sheet_short(sheet, "longest", "longest_ns", row->longest);
    sheet_words(sheet, "since", false, must_text("%s", since));
    sheet_words(sheet, "domain and vCPU", true,
                must_text("%s v%u", domain, key->vcpu));
    sheet_words(sheet, "who had the pCPU", true, takers_text(loaded, row));
    if ( sheet->json )
        put_buckets_and_takers(sheet->json, loaded, row);
    sheet_row_end(sheet);
}

void waits_fill_lengths(struct sheet *sheet, const struct loaded *loaded)
{
    struct length_row **rows SCOPE_FREE = lengths_sorted(&loaded->lengths);

    sheet_rows(sheet, "each");
    for ( size_t i = 0; i < loaded->lengths.rows.count; i++ )
        add_length(sheet, loaded, rows[i]);
    sheet_rows_end(sheet);
}
