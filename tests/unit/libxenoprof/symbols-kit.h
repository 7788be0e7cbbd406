/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table of symbols at a time, from text or from a file.
 */
#ifndef XENOPROF_TESTS_UNIT_LIBXENOPROF_SYMBOLS_KIT_H
#define XENOPROF_TESTS_UNIT_LIBXENOPROF_SYMBOLS_KIT_H

#include "libxenoprof.h"
#include "tests/harness.h"

struct symbols_kit {
    struct xenoprof_handle *handle;
    struct xenoprof_symbols *symbols; /* the last table, or NULL */
};

extern struct symbols_kit symbols_kit;

/* Each makes a new table in place of the last. */
enum xenoprof_status symbols_kit_text(const char *text);
enum xenoprof_status symbols_kit_file(const char *path);

/* Returns the name of an address, or "-". */
const char *symbols_kit_name(uint64_t address);

#endif
