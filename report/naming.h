/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an address is called: as the session says, else as a kernel says that
 * the user named for its domain.
 */
#ifndef XENOPROF_REPORT_NAMING_H
#define XENOPROF_REPORT_NAMING_H

#include "complaint.h"
#include "recording.h"

struct kernel {
    char *domain; /* number, name or uuid */
    const char *file;
    struct xenoprof_symbols *symbols;
    uint64_t asked; /* samples whose address it was asked for ... */
    uint64_t named; /* ... and those that it had a name for */
};

struct kernels {
    struct xenoprof_handle *handle;
    struct kernel *list;
    size_t count;
};

/* Read the kernels of "DOM:FILE" texts (a list that ends with NULL, or NULL);
 * kernels_close() in any case. */
enum report_status kernels_open(struct kernels *kernels,
                                const char *const *texts,
                                struct complaint *complaint);
void kernels_close(struct kernels *kernels);

/* Give each cell its address, image and symbol.  A domain that the session
 * does not know is complained of. */
enum report_status name_cells(struct recording *recording,
                              struct kernels *kernels,
                              struct complaint *complaint);

#endif
