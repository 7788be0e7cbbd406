/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code in Xen's address space that Xen's symbols do not cover, by what it is:
 *
 *   stubs      a page of each pCPU below the end of Xen's gigabyte, with the
 *              system call entry and what the emulator runs
 *   livepatch  payloads (the profiler's own module is one), which Xen puts
 *              between the end of its image and the stubs
 */
#ifndef XENOPROF_REPORT_AREAS_H
#define XENOPROF_REPORT_AREAS_H

#include "recording.h"

/* The highest symbol of Xen's that the session knows; 0: none. */
uint64_t areas_xen_end(const struct recording *recording);

/* Where code of a mode lies; xen_end as above. */
enum area area_of(uint8_t mode, const struct place_name *name,
                  uint64_t xen_end);

/* Find the area of each cell, once cells have their names. */
void areas_find(struct recording *recording);

/* "[stub]"; area is not AREA_NONE. */
const char *area_text(enum area area);

#endif
