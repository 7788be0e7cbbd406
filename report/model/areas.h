/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code in Xen's address space that Xen's symbols do not cover, by what it is:
 *
 *   stubs      a page of each pCPU below the end of Xen's gigabyte, with the
 *              system call entry and what the emulator runs
 *   livepatch  payloads, which Xen puts between the end of its image and the
 *              stubs
 *   xenoprof   the profiler's own module, which is one of these; only if the
 *              session says where it was
 */
#ifndef XENOPROF_REPORT_MODEL_AREAS_H
#define XENOPROF_REPORT_MODEL_AREAS_H

#include "loaded.h"

/* What the session knows of where things are. */
struct areas {
    uint64_t xen_end; /* the highest symbol of Xen's; 0: none */
    uint64_t module_start, module_size;
};

struct areas areas_of(const struct loaded *loaded);

/* Where code of a mode lies. */
enum area area_of(const struct areas *areas, uint8_t mode,
                  const struct place_name *name);

/* Find the area of each cell, once cells have their names. */
void areas_find(struct loaded *loaded);

/* "[stub]"; area is not AREA_NONE. */
const char *area_text(enum area area);

#endif
