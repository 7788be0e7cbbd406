/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export-tracks.h"

#include "base/must.h"
#include "base/scope.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_TRACK UINT32_MAX
#define AHEAD    16u /* samples for whose cells memory is asked at once */

/* The track of a key, by its number in the vector. */
struct known_track {
    struct track_key key;
    uint32_t number;
};

struct track_key track_key_of(const struct cell *cell, enum track_kind kind)
{
    struct track_key key = {.domain = TRACK_NO_DOMAIN, .cpu = cell->key.pcpu};

    if ( kind == TRACKS_OF_PCPUS )
        return key;
    key.domain = cell->key.domain;
    key.cpu = cell->key.domain == DOMAIN_INDEX_OTHER ? CELL_SEVERAL
                                                     : cell->key.vcpu;
    return key;
}

static int compare_tracks(const void *a, const void *b)
{
    const struct track_key *x = &((const struct track *)a)->key;
    const struct track_key *y = &((const struct track *)b)->key;

    if ( x->domain != y->domain )
        return x->domain < y->domain ? -1 : 1;
    return x->cpu == y->cpu ? 0 : x->cpu < y->cpu ? -1 : 1;
}

static void sort_tracks(struct export_tracks *tracks, struct table *known)
{
    if ( tracks->count )
        qsort(tracks->items, tracks->count, sizeof(*tracks->items),
              compare_tracks);
    for ( size_t i = 0; i < tracks->count; i++ )
    {
        struct known_track *track = table_find(known, &tracks->items[i].key);

        track->number = (uint32_t)i;
    }
}

/* Makes the tracks, and finds that of each cell. */
static void find_tracks(struct export_tracks *tracks, enum track_kind kind,
                        uint32_t *of)
{
    const struct loaded *loaded = tracks->walk->loaded;
    struct table known;

    table_init(&known, sizeof(struct track_key), sizeof(struct known_track));
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);
        const struct track_key key = track_key_of(cell, kind);

        of[i] = NO_TRACK;
        if ( cell->key.type != loaded->types.shown || !walk_has(cell) )
            continue;
        of[i] = (uint32_t)table_index(&known, must(table_put(&known, &key)));
        if ( known.count > tracks->count )
            ((struct track *)must(vector_add(tracks)))->key = key;
    }
    sort_tracks(tracks, &known);
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        if ( of[i] == NO_TRACK )
            continue;
        of[i] = ((struct known_track *)table_at(&known, of[i]))->number;
        tracks->items[of[i]].amount += cell->time;
    }
    table_free(&known);
}

/* Returns the track of one of the walk's numbers, or NO_TRACK. */
static uint32_t track_of(const struct export_walk *walk, const uint32_t *of,
                         size_t number)
{
    return walk_there(walk, number) ? of[walk_cell(walk, number)] : NO_TRACK;
}

/* Puts each track's numbers beside each other, in their order. */
static void put_numbers(struct export_tracks *tracks, const uint32_t *of)
{
    const size_t count = walk_count(tracks->walk);
    size_t first = 0;

    must_do(count < UINT32_MAX);
    for ( size_t i = 0; i < count; i++ )
    {
        const uint32_t number = track_of(tracks->walk, of, i);

        if ( number != NO_TRACK )
            tracks->items[number].count++;
    }
    for ( size_t i = 0; i < tracks->count; i++ )
    {
        tracks->items[i].first = first;
        first += tracks->items[i].count;
        tracks->items[i].count = 0;
    }
    tracks->numbers = must(calloc(first + 1, sizeof(*tracks->numbers)));
    for ( size_t i = 0; i < count; i++ )
    {
        const uint32_t number = track_of(tracks->walk, of, i);
        struct track *track;

        if ( number == NO_TRACK )
            continue;
        track = &tracks->items[number];
        tracks->numbers[track->first + track->count++] = (uint32_t)i;
    }
}

void tracks_init(struct export_tracks *tracks, struct export_walk *walk,
                 enum track_kind kind)
{
    uint32_t *of SCOPE_FREE = must(
        calloc(walk->loaded->cells.count + 1, sizeof(*of)));

    *tracks = (struct export_tracks){.walk = walk};
    find_tracks(tracks, kind, of);
    put_numbers(tracks, of);
}

void tracks_free(struct export_tracks *tracks)
{
    vector_free(tracks);
    free(tracks->numbers);
}

bool track_next(struct export_tracks *tracks, const struct track *track,
                struct walk_sample *ret)
{
    size_t at;

    if ( tracks->next == track->count )
    {
        tracks->next = 0;
        return false;
    }
    at = track->first + tracks->next++;
    if ( tracks->next + AHEAD <= track->count )
        walk_ahead(tracks->walk, tracks->numbers[at + AHEAD],
                   !tracks->no_cells);
    walk_take(tracks->walk, tracks->numbers[at], ret);
    return true;
}

char *track_name(const struct export_tracks *tracks, const struct track *track)
{
    const char *domain;

    if ( track->key.domain == TRACK_NO_DOMAIN )
        return track->key.cpu == CELL_SEVERAL
                   ? must(strdup("pCPU not known"))
                   : must_text("pCPU %" PRIu32, track->key.cpu);
    domain = walk_label_text(tracks->walk, WALK_DOMAIN, track->key.domain);
    return track->key.cpu == CELL_SEVERAL
               ? must(strdup(domain))
               : must_text("%s v%" PRIu32, domain, track->key.cpu);
}
