/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walker of dom0's processes: what it keeps, and what it answers. */
#ifndef XENOPROF_DAEMON_PARSER_USER_WALKER_PROCESS_H
#define XENOPROF_DAEMON_PARSER_USER_WALKER_PROCESS_H

#include "cage/process-maker.h"
#include "user-wire.h"

struct walker_table {
    uint8_t *bytes;
    size_t size, filled;
    struct row_table *rows; /* NULL: not whole yet, or not a table */
};

struct walker_facts {
    const uint8_t *windows; /* USER_WINDOWS_SIZE bytes */
    struct walker_table tables[USER_TABLES_MAX];
    size_t bytes; /* of all tables */
    struct user_space *spaces[USER_SPACES_MAX];
    size_t pieces; /* mappings of all spaces */
    struct row_cache *cache;
};

/* windows is memory that the daemon writes.  Returns false if there is no
 * memory. */
bool walker_facts_init(struct walker_facts *facts, const uint8_t *windows);
void walker_facts_free(struct walker_facts *facts);

/* Takes a message, which lies at a multiple of 8, and puts its answer into
 * *answer, which has room for USER_MESSAGE_MAX bytes.  Returns false if that is
 * no message; else the answer's size in *size, 0 if it has none. */
bool walker_facts_take(struct walker_facts *facts, const void *message,
                       size_t length, void *answer, size_t *size);

/* The process itself; when it returns, it ends. */
void user_walker_process_run(const struct process_order *order, int socket);

#endif
