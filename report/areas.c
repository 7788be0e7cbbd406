/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "areas.h"

#define XEN_START   0xffff82d040000000u
#define XEN_END     0xffff82d080000000u
#define STUBS_START (XEN_END - (16u << 20)) /* pages of 4096 pCPUs */

static bool in_xen(const struct cell *cell)
{
    return cell->key.mode == XENOPROF_MODE_XEN && !cell_placeless(cell) &&
           cell->name.address >= XEN_START && cell->name.address < XEN_END;
}

/* The highest symbol of Xen's that is known to be one; 0: none is known. */
static uint64_t last_symbol(const struct recording *recording)
{
    uint64_t last = 0;

    for ( size_t i = 0; i < recording->cells.count; i++ )
    {
        const struct cell *cell = table_at(&recording->cells, i);

        if ( in_xen(cell) && cell->name.symbol && cell->name.start > last )
            last = cell->name.start;
    }
    return last;
}

/* Xen's image is covered by its symbols: what lies behind all of them and
 * belongs to none is not in it. */
static enum area cell_area(const struct cell *cell, uint64_t last)
{
    if ( !in_xen(cell) || cell->name.symbol )
        return AREA_NONE;
    if ( cell->name.address >= STUBS_START )
        return AREA_STUB;
    return last && cell->name.address > last ? AREA_LIVEPATCH : AREA_NONE;
}

void areas_find(struct recording *recording)
{
    uint64_t last = last_symbol(recording);

    for ( size_t i = 0; i < recording->cells.count; i++ )
    {
        struct cell *cell = table_at(&recording->cells, i);

        cell->area = cell_area(cell, last);
    }
}

const char *area_text(enum area area)
{
    return area == AREA_STUB ? "[stub]" : "[livepatch]";
}
