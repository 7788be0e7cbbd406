/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf-places.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/import/import-names.h"

#include <stdlib.h>
#include <string.h>

#define KNOWN_BITS 16u

#define UNKNOWN_IMAGE "[unknown]" /* as perf calls it */

/* A place that was found before. */
struct perf_known {
    uint64_t address;
    uint64_t space; /* number of a space, or of changes of the kernel */
    uint16_t domain;
    uint8_t mode;
    uint8_t found; /* the place's mode */
    bool set;
    uint32_t place;
};

struct perf_places {
    struct perf_place_taker taker;
    struct perf_files *files;
    struct perf_kernel *kernel;
    uint32_t epoch;
    struct perf_known known[1u << KNOWN_BITS];
};

struct perf_places *perf_places_open(const struct perf_place_taker *taker,
                                     struct perf_files *files,
                                     struct perf_kernel *kernel)
{
    struct perf_places *places = must(calloc(1, sizeof(*places)));

    places->taker = *taker;
    places->files = files;
    places->kernel = kernel;
    return places;
}

void perf_places_close(struct perf_places *places)
{
    free(places);
}

void perf_places_epoch(struct perf_places *places, uint32_t epoch)
{
    if ( places->epoch == epoch )
        return;
    places->epoch = epoch;
    memset(places->known, 0, sizeof(places->known));
}

/* Of a file of ours: whose code it is, and its image, which is malloc'ed. */
static void own_place(const struct perf_kernel_code *code,
                      struct xenoprof_place *place, char **image)
{
    place->mode = 0;
    *image = import_image(code->image, &place->mode);
    place->image = *image;
    if ( strcmp(code->image, UNKNOWN_IMAGE) )
        return;
    place->mode = XENOPROF_MODE_USER;
    place->image = NULL;
}

static void find_kernel_place(struct perf_places *places,
                              struct xenoprof_place *place, char **image)
{
    struct perf_kernel_code code;

    perf_kernel_find(places->kernel, place->address, &code);
    place->image = code.image;
    if ( code.own )
        own_place(&code, place, image);
    place->symbol = code.symbol;
    place->symbol_start = code.start;
}

static void find_user_place(struct perf_places *places,
                            const struct perf_space *space,
                            struct xenoprof_place *place)
{
    const struct perf_data_map *map = perf_space_find(space, place->address);
    struct perf_code code;

    if ( !map )
        return;
    place->image = perf_files_path(places->files, map->file);
    perf_files_find(places->files, map->file,
                    place->address - map->start + map->offset, &code);
    place->address = code.address;
    place->symbol = code.symbol;
    place->symbol_start = code.start;
}

static uint32_t find_place(struct perf_places *places,
                           const struct perf_where *where, uint64_t address,
                           uint8_t *mode)
{
    struct xenoprof_place place = {
        .domain = where->domain, .mode = where->mode, .address = address};
    char *image SCOPE_FREE = NULL;

    if ( where->mode == XENOPROF_MODE_XEN )
        place.image = "xen";
    else if ( where->guest )
        place.image = where->mode == XENOPROF_MODE_KERNEL ? "kernel" : NULL;
    else if ( where->mode == XENOPROF_MODE_KERNEL )
        find_kernel_place(places, &place, &image);
    else
        find_user_place(places, where->space, &place);
    *mode = place.mode;
    return places->taker.place(places->taker.argument, &place);
}

static const struct perf_known *known_place(struct perf_places *places,
                                            const struct perf_where *where,
                                            uint64_t address)
{
    const uint64_t space = where->mode == XENOPROF_MODE_KERNEL
                               ? places->kernel->changes
                           : where->space ? where->space->number
                                          : 0;
    const uint64_t hash = (address ^ space << 40 ^ where->mode) *
                              0x9e3779b97f4a7c15u +
                          where->domain * 0xc2b2ae3d27d4eb4fu;
    struct perf_known *known = &places->known[hash >> (64 - KNOWN_BITS)];

    if ( known->set && known->address == address && known->space == space &&
         known->domain == where->domain && known->mode == where->mode )
        return known;
    *known = (struct perf_known){.address = address,
                                 .space = space,
                                 .domain = where->domain,
                                 .mode = where->mode,
                                 .set = true};
    known->place = find_place(places, where, address, &known->found);
    return known;
}

uint32_t perf_place(struct perf_places *places, const struct perf_where *where,
                    uint64_t address)
{
    return known_place(places, where, address)->place;
}

uint8_t perf_place_mode(struct perf_places *places,
                        const struct perf_where *where, uint64_t address)
{
    return known_place(places, where, address)->found;
}
