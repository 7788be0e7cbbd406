/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests of a batch (batch.h), as the daemon writes and a walker reads
 * them. */
#ifndef XENOPROF_DAEMON_PARSER_BATCH_REQUESTS_H
#define XENOPROF_DAEMON_PARSER_BATCH_REQUESTS_H

#include "batch.h"

/* Returns the size that this stack's request has in a batch. */
size_t batch_stack_size(const struct unwind_start *start);
/* Write a request to at, where there is room. */
void batch_put_stack(uint8_t *at, const struct unwind_start *start);
void batch_put_name_request(uint8_t *at, uint64_t address);

/* A request as it was read; pointers go into the batch, and into itself. */
struct read_request {
    enum batch_kind kind;
    uint64_t address; /* BATCH_NAME */
    struct unwind_start start;
    struct xenoprof_registers registers;
};

/* Reads the request at *at, of which there are left bytes.  Returns its size,
 * or 0 if that is not a request. */
size_t batch_get_request(const uint8_t *at, size_t left,
                         struct read_request *ret);

#endif
