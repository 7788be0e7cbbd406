/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemon's half of the memory in which a batch lies (batch.h). */
#ifndef XENOPROF_DAEMON_PARSER_BATCH_AREA_H
#define XENOPROF_DAEMON_PARSER_BATCH_AREA_H

#include "batch.h"

struct batch_area {
    uint8_t *bytes; /* BATCH_SIZE */
    uint32_t high;  /* bytes that were used of late */
    uint32_t small; /* batches since, which were far smaller */
};

/* Maps a new area, and returns the file that the walker is to be given, which
 * is then to be closed; or -1. */
int batch_area_open(struct batch_area *area, const struct batch_head *head);
void batch_area_close(struct batch_area *area);

/* Copies size bytes of the area, from at on, which are not looked at again. */
void batch_area_copy_out(const struct batch_area *area, uint32_t at, void *to,
                         size_t size);

/* A batch of so many bytes is about to be sent: gives memory back that only
 * larger batches needed, after many that were smaller. */
void batch_area_trim(struct batch_area *area, uint32_t bytes);

#endif
