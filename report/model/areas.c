/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "areas.h"

#include "base/must.h"
#include "format.h"
#include "libxenoprof/session/session-attributes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define XEN_START   0xffff82d040000000u
#define XEN_END     0xffff82d080000000u
#define STUBS_START (XEN_END - (16u << 20)) /* pages of 4096 pCPUs */

static bool in_xen(uint8_t mode, const struct place_name *name)
{
    return mode == XENOPROF_MODE_XEN && name->address >= XEN_START &&
           name->address < XEN_END;
}

static uint64_t find_xen_end(const struct loaded *loaded)
{
    uint64_t last = 0;

    for ( size_t i = 0; i < loaded->places.count; i++ )
    {
        const struct loaded_place *place = table_at(&loaded->places, i);

        if ( in_xen(place->mode, &place->name) && place->name.symbol &&
             place->name.start > last )
            last = place->name.start;
    }
    return last;
}

struct areas areas_of(const struct loaded *loaded)
{
    struct areas areas = {.xen_end = find_xen_end(loaded),
                          .open = loaded->open};
    const char *module = loaded_attribute(loaded, SESSION_ATTRIBUTE_MODULE);

    if ( module && sscanf(module, "%" SCNx64 "+%" SCNx64, &areas.module_start,
                          &areas.module_size) != 2 )
        areas.module_size = 0;
    return areas;
}

/* Xen's image is covered by its symbols: what lies behind all of them and
 * belongs to none is not in it. */
enum area area_of(const struct areas *areas, uint8_t mode,
                  const struct place_name *name)
{
    if ( mode == XENOPROF_MODE_USER && !name->symbol && !areas->open )
        return AREA_USER;
    if ( !in_xen(mode, name) || name->symbol )
        return AREA_NONE;
    if ( name->address >= STUBS_START )
        return AREA_STUB;
    if ( name->address - areas->module_start < areas->module_size )
        return AREA_MODULE;
    return areas->xen_end && name->address > areas->xen_end ? AREA_LIVEPATCH
                                                            : AREA_NONE;
}

void areas_find(struct loaded *loaded)
{
    struct areas areas = areas_of(loaded);

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);

        if ( !cell_placeless(cell) && cell->name )
            cell->area = area_of(&areas, cell->key.mode, cell_name(cell));
    }
}

char *area_text(const struct loaded *loaded, enum area area, uint32_t comm)
{
    const char *name = names_text(&loaded->names, comm);

    switch ( area )
    {
    case AREA_STUB: return must(strdup("[stub]"));
    case AREA_MODULE: return must(strdup("[xenoprof]"));
    case AREA_USER:
        return name && *name ? must_text("[user of %s]", name)
                             : must(strdup("[user]"));
    default: return must(strdup("[livepatch]"));
    }
}
