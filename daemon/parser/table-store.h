/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables that searches made, each in a sealed file of memory that nobody
 * can change any more; of equal ones there is one.
 *
 * Tables are equal if all their bytes are.  A keyed hash finds what may be
 * equal, and no guest knows the key.  So guests share a table only if each of
 * them would have had the same one alone, and a lie is shared with nobody.
 * The daemon never looks into a table: its bytes are the guest's.
 */
#ifndef XENOPROF_DAEMON_PARSER_TABLE_STORE_H
#define XENOPROF_DAEMON_PARSER_TABLE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes of one table. */
#define TABLE_IMAGE_MAX   (64u << 20) /* of a kernel */
#define TABLE_MODULES_MAX (32u << 20) /* of a guest's kernel modules */

struct table_store;

/* A table, counted by who uses it; its file is read-only for everybody. */
struct sealed_table {
    int file;
    size_t size;
};

/* Returns an empty store, or NULL if there is no memory. */
struct table_store *table_store_open(void);
/* When all tables are released and all drafts ended; takes NULL. */
void table_store_close(struct table_store *store);

/* Return how many bytes all tables have, and how many there are. */
uint64_t table_store_bytes(const struct table_store *store);
size_t table_store_count(const struct table_store *store);

/* Returns the table, which has one more user now; takes NULL. */
const struct sealed_table *table_hold(const struct sealed_table *table);
/* One user less; without any the table is gone.  Takes NULL. */
void table_release(const struct sealed_table *table);

/* A table that is being filled. */
struct table_draft;

/* Returns an empty draft of at most that many bytes, or NULL if there is no
 * memory or no descriptor. */
struct table_draft *table_draft_begin(struct table_store *store, size_t most);
/* Returns true after all of the bytes were added; false if they are too many
 * or there is no memory, and the draft can only be dropped. */
bool table_draft_add(struct table_draft *draft, const void *bytes, size_t size);
/* Ends the draft.  Returns its table, or an equal one that was there already,
 * with one more user: the caller; NULL if it has no bytes or cannot be
 * sealed. */
const struct sealed_table *table_draft_end(struct table_draft *draft);
/* Ends the draft without a table; takes NULL. */
void table_draft_drop(struct table_draft *draft);

#endif
