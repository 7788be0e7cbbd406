/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function's instructions, with the samples of each.
 */
#ifndef XENOPROF_REPORT_CODE_INSTRUCTIONS_H
#define XENOPROF_REPORT_CODE_INSTRUCTIONS_H

#include "base/vector.h"
#include "code.h"

struct instruction {
    uint64_t address; /* in the session */
    uint8_t size;
    char *text; /* AT&T syntax, with names of targets */
    bool leads; /* it has a target: */
    struct code_target target;
    uint64_t samples; /* at any of its bytes */
    uint64_t time;    /* ns */
    uint64_t inside;  /* of samples: not at its first byte */
};

struct instructions {
    VECTOR(struct instruction); /* each begins where the one before ends */
    struct hit outside;         /* samples outside of all; without address */
};

void instructions_read(struct instructions *instructions,
                       const struct code *code,
                       const struct function *function);
void instructions_free(struct instructions *instructions);

/* Add the samples at addresses to the instructions. */
void instructions_count(struct instructions *instructions,
                        const struct hit *const *hits, size_t count);

#endif
