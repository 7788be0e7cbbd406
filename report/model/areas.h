/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that no symbol covers, by what it is; in Xen's address space
 *
 *   stubs      a page of each pCPU below the end of Xen's gigabyte, with the
 *              system call entry and what the emulator runs
 *   livepatch  payloads, which Xen puts between the end of its image and the
 *              stubs
 *   xenoprof   the profiler's own module, which is one of these; only if the
 *              session says where it was
 *
 * and in processes
 *
 *   user       all of it, unless addresses are asked for; of an image that is
 *              known, or else of the threads of one name
 */
#ifndef XENOPROF_REPORT_MODEL_AREAS_H
#define XENOPROF_REPORT_MODEL_AREAS_H

#include "loaded.h"

/* What the session knows of where things are. */
struct areas {
    uint64_t xen_end; /* the highest symbol of Xen's; 0: none */
    uint64_t module_start, module_size;
    bool open; /* addresses of processes are told apart */
};

struct areas areas_of(const struct loaded *loaded);

/* Where code of a mode lies. */
enum area area_of(const struct areas *areas, uint8_t mode,
                  const struct place_name *name);

/* Find the area of each cell, once cells have their names. */
void areas_find(struct loaded *loaded);

/* "[stub]", "[user of nginx]"; area is not AREA_NONE.  comm, in loaded.names,
 * is the thread's name, or 0.  malloc'ed. */
char *area_text(const struct loaded *loaded, enum area area, uint32_t comm);

#endif
