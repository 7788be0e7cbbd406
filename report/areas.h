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

/* Find the area of each cell, once cells have their names. */
void areas_find(struct recording *recording);

/* "[stub]"; area is not AREA_NONE. */
const char *area_text(enum area area);

#endif
