/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an address is called: as the session says, else as a kernel says that
 * the user named for its domain.
 */
#ifndef XENOPROF_REPORT_MODEL_NAMING_H
#define XENOPROF_REPORT_MODEL_NAMING_H

#include "base/failure.h"
#include "loaded.h"

struct named_kernel {
    char *domain; /* number, name or uuid */
    const char *file;
    struct xenoprof_symbols *symbols;
};

struct kernels {
    struct xenoprof_handle *handle;
    struct named_kernel *list;
    size_t count;
};

/* Read the kernels of "DOM:FILE" texts (a list that ends with NULL, or NULL);
 * kernels_close() in any case. */
enum exit_status kernels_open(struct kernels *kernels, const char *const *texts,
                              struct failure *failure);
void kernels_close(struct kernels *kernels);

/* Whether the session has the domains of all that were read, and of the one
 * that could not be. */
enum exit_status kernels_expect(const struct loaded *loaded,
                                const struct kernels *kernels,
                                struct failure *failure);

/* What a place (its number, 0: none) is called when it is seen in a domain (its
 * index). */
void name_place(struct loaded *loaded, const struct kernels *kernels,
                uint32_t domain, uint64_t number, struct place_name *ret);

/* Gives each cell its address, image and symbol, as far as they are known; good
 * until a place is added. */
void name_all_cells(struct loaded *loaded, const struct kernels *kernels);
/* The same; a domain that the session does not know is an error. */
enum exit_status name_cells(struct loaded *loaded,
                            const struct kernels *kernels,
                            struct failure *failure);

/* Whether its domain ran a kernel, and nothing of that has a name. */
bool kernel_useless(const struct loaded *loaded,
                    const struct named_kernel *kernel);

#endif
