/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile.h"

#include "base/must.h"
#include "report/time/sampling.h"

#include <stdlib.h>
#include <string.h>

#define LATELY 1024u /* rows that are found without a search */

static void make_row_key(const struct loaded *loaded, const struct cell *cell,
                         const struct label_list *labels, struct row_key *ret)
{
    for ( unsigned int label = 0; label < LABELS; label++ )
        ret->value[label] = LABEL_NONE;
    ret->unnamed = LABEL_NONE;
    ret->area = AREA_NONE;
    ret->chain = labels->chains ? cell->chain : 0;
    for ( size_t i = 0; i < labels->count; i++ )
        ret->value[labels->label[i]] = label_value(cell, labels->label[i]);
    if ( !label_list_has(labels, LABEL_SYMBOL) )
        return;
    if ( labels->areas || cell->area == AREA_USER )
        ret->area = cell->area;
    if ( !ret->area )
        ret->unnamed = label_unnamed(cell);
    else if ( ret->area == AREA_USER )
        ret->unnamed = cell_user_comm(loaded, cell);
}

static void note_address(struct row *row, const struct cell *cell)
{
    uint64_t address = cell_name(cell)->symbol ? cell_name(cell)->start
                                               : cell_name(cell)->address;

    if ( cell_placeless(cell) || !address || cell->area == AREA_USER )
        return;
    if ( !row->address || address < row->address )
        row->address = address;
}

/* Most cells are of a row that another one was of just before: lately[] is
 * where that is noted, by what few values tell rows apart. */
static struct row *find_profile_row(struct profile *profile,
                                    const struct row_key *key,
                                    const struct label_list *labels,
                                    uint32_t *lately)
{
    uint64_t mixed = hash_mix(key->unnamed + key->area, key->chain);
    struct row *row;

    for ( size_t i = 0; i < labels->count; i++ )
        mixed = hash_mix(mixed, key->value[labels->label[i]]);
    lately += mixed % LATELY;
    row = *lately ? table_at(&profile->rows, *lately - 1) : NULL;
    if ( row && !memcmp(&row->key, key, sizeof(*key)) )
        return row;
    row = must(table_put(&profile->rows, key));
    *lately = (uint32_t)table_index(&profile->rows, row) + 1;
    return row;
}

/* lately[] is noted there from one to the next. */
static void add_profile_cell(struct profile *profile,
                             const struct loaded *loaded,
                             const struct cell *cell,
                             const struct label_list *labels, uint32_t *lately)
{
    struct row_key key;
    struct row *row;

    make_row_key(loaded, cell, labels, &key);
    row = find_profile_row(profile, &key, labels, lately);
    row->samples += cell->samples;
    row->time += cell->time;
    row->square += cell->square;
    if ( cell->key.mode < XENOPROF_MODES )
        row->by_mode[cell->key.mode] += cell->samples;
    if ( cell->key.domain != DOMAIN_INDEX_OTHER &&
         cell->key.mode < XENOPROF_MODES )
        row->time_by_mode[cell->key.mode] += cell->time;
    note_address(row, cell);
    profile->samples += cell->samples;
    profile->time += cell->time;
}

static int compare_profile_rows(const void *left, const void *right)
{
    const struct row *a = *(const struct row *const *)left;
    const struct row *b = *(const struct row *const *)right;

    if ( a->time != b->time )
        return a->time < b->time ? 1 : -1;
    if ( a->samples != b->samples )
        return a->samples < b->samples ? 1 : -1;
    return a < b ? -1 : a > b; /* as they came: the same each time */
}

double profile_error(const struct profile *profile, const struct loaded *loaded,
                     const struct row *row)
{
    const uint64_t domain = row->key.value[LABEL_DOMAIN];
    struct sampled_time of = {profile->sampled, profile->square};

    if ( domain != LABEL_NONE && !loaded->slots.by_pcpu )
        of = profile->by_domain[domain];
    /* How much Xen works in idle vCPUs samples alone say. */
    if ( !loaded->accounted || domain == DOMAIN_INDEX_IDLE )
        of.time = 0;
    return sampling_error((double)row->time, row->square, of.time, of.square);
}

void profile_build(struct profile *profile, const struct loaded *loaded,
                   const struct label_list *labels)
{
    uint32_t lately[LATELY] = {0};

    memset(profile, 0, sizeof(*profile));
    table_init(&profile->rows, sizeof(struct row_key), sizeof(struct row));
    profile->by_domain = must(
        calloc(loaded->domains.count, sizeof(*profile->by_domain)));
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        profile->time_all += cell->time;
        if ( cell->square > 0 )
        {
            struct sampled_time *domain = &profile->by_domain[cell->key.domain];

            profile->sampled += (double)cell->time;
            profile->square += cell->square;
            domain->time += (double)cell->time;
            domain->square += cell->square;
        }
        if ( !cell->dropped )
            add_profile_cell(profile, loaded, cell, labels, lately);
    }
    profile->sorted = must(table_sorted(&profile->rows, compare_profile_rows));
    profile->count = profile->rows.count;
}

void profile_by_domain(struct profile *profile, const struct loaded *loaded)
{
    static const struct label_list labels = {.label = {LABEL_DOMAIN},
                                             .count = 1};

    profile_build(profile, loaded, &labels);
}

void profile_free(struct profile *profile)
{
    table_free(&profile->rows);
    free(profile->sorted);
    free(profile->by_domain);
}

size_t profile_limit(const struct profile *profile, double percent)
{
    size_t count = 0;

    while ( count < profile->count &&
            profile_percent(profile, profile->sorted[count]->time) >= percent )
        count++;
    return count;
}
