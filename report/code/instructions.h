/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function's instructions, with what fell on each.
 */
#ifndef XENOPROF_REPORT_CODE_INSTRUCTIONS_H
#define XENOPROF_REPORT_CODE_INSTRUCTIONS_H

#include "base/vector.h"
#include "code.h"

struct instruction {
    uint64_t address; /* the session's */
    uint8_t size;
    char *text;       /* AT&T's spelling, with names for where it goes */
    uint64_t samples; /* that fell on any of its bytes */
    uint64_t time;    /* ns */
    uint64_t inside;  /* of samples: not at its first byte */
};

struct instructions {
    VECTOR(struct instruction); /* each begins where the one before ends */
    struct hit outside;         /* what fell on no byte of them; no address */
};

/* False if there is no memory; instructions_free() in any case. */
bool instructions_read(struct instructions *instructions,
                       const struct code *code,
                       const struct function *function);
void instructions_free(struct instructions *instructions);

/* Share out to instructions what fell on addresses. */
void instructions_count(struct instructions *instructions,
                        const struct hit *const *hits, size_t count);

#endif
