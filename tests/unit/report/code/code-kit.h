/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session of dom0 alone, and a folder that stands for the root of the host
 * on which code is looked for.  One at a time.
 */
#ifndef TESTS_UNIT_REPORT_CODE_CODE_KIT_H
#define TESTS_UNIT_REPORT_CODE_CODE_KIT_H

#include "report/code/code.h"
#include "report/code/hits.h"
#include "report/model/loaded.h"

#include <limits.h>

#define BOOT    "01234567-89ab-cdef-0123-456789abcdef"
#define KERNEL  0xffffffffa5000000ull
#define ADDRESS 0xffff82d040200000ull

extern struct code_kit {
    struct loaded loaded;
    struct hits hits;
    struct code_shelf shelf;
    struct code code;
    struct failure failure;
    char root[PATH_MAX];
    const char *given[3];
    struct place_name names[16]; /* of cells */
} kit;

/* Each test begins and ends with these. */
void code_kit_begin(void);
void code_kit_end(void);

void add_attribute(const char *key, const char *value);
/* Samples of dom0, offset bytes into a function. */
void add_samples(uint8_t mode, const char *image, const char *symbol,
                 uint64_t start, uint64_t offset);

/* Returns the hottest function that matches. */
const struct function *function_of(const char *pattern);

/* A file below root, with the folders that it takes. */
void write_file(const char *path, const void *bytes, size_t size);
void write_text(const char *path, const char *text);

#endif
