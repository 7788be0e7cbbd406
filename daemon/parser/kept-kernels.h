/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels that were found, kept for later sessions and daemons: one file for
 * each guest, by its uuid, which it cannot choose.  So a guest that lies about
 * its kernel does so to nobody else, and keeps no other guest's from being
 * kept.
 *
 * A kept kernel is a claim about a guest: before it is used, the guest's
 * memory must have its build-id where it was (SEARCH_MODULES, kept).  The bytes
 * are the guest's, and only a parser process looks into them.
 */
#ifndef XENOPROF_DAEMON_PARSER_KEPT_KERNELS_H
#define XENOPROF_DAEMON_PARSER_KEPT_KERNELS_H

#include "table-store.h"

/* In the session directory. */
#define KEPT_FOLDER ".kernels"

/* Bytes of a kernel that is kept, and how many are: the oldest goes. */
#define KEPT_BYTES_MAX (16u << 20)
#define KEPT_COUNT_MAX 64u

/* Returns the image that was kept of this guest's kernel, with one more user:
 * the caller; and where the guest had it.  NULL: none, or its file is damaged,
 * or folder is "". */
const struct sealed_table *kept_kernel_load(const char *folder,
                                            const uint8_t uuid[16],
                                            struct table_store *store,
                                            uint64_t *base);

/* Keeps an image in the place of what was kept of this guest.  Without room, or
 * if folder is "", nothing is kept. */
void kept_kernel_store(const char *folder, const uint8_t uuid[16],
                       const struct sealed_table *image, uint64_t base);

/* The guest has another kernel. */
void kept_kernel_drop(const char *folder, const uint8_t uuid[16]);

#endif
