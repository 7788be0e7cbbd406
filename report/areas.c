/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "areas.h"

#define XEN_START   0xffff82d040000000u
#define XEN_END     0xffff82d080000000u
#define STUBS_START (XEN_END - (16u << 20)) /* pages of 4096 pCPUs */

static bool in_xen(uint8_t mode, const struct place_name *name)
{
    return mode == XENOPROF_MODE_XEN && name->address >= XEN_START &&
           name->address < XEN_END;
}

uint64_t areas_xen_end(const struct recording *recording)
{
    uint64_t last = 0;

    for ( size_t i = 0; i < recording->places.count; i++ )
    {
        const struct place *place = table_at(&recording->places, i);

        if ( in_xen(place->mode, &place->name) && place->name.symbol &&
             place->name.start > last )
            last = place->name.start;
    }
    return last;
}

/* Xen's image is covered by its symbols: what lies behind all of them and
 * belongs to none is not in it. */
enum area area_of(uint8_t mode, const struct place_name *name, uint64_t xen_end)
{
    if ( !in_xen(mode, name) || name->symbol )
        return AREA_NONE;
    if ( name->address >= STUBS_START )
        return AREA_STUB;
    return xen_end && name->address > xen_end ? AREA_LIVEPATCH : AREA_NONE;
}

void areas_find(struct recording *recording)
{
    uint64_t end = areas_xen_end(recording);

    for ( size_t i = 0; i < recording->cells.count; i++ )
    {
        struct cell *cell = table_at(&recording->cells, i);

        if ( !cell_placeless(cell) )
            cell->area = area_of(cell->key.mode, &cell->name, end);
    }
}

const char *area_text(enum area area)
{
    return area == AREA_STUB ? "[stub]" : "[livepatch]";
}
