/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a jitdump file. */
#ifndef XENOPROF_TESTS_UNIT_AGENT_DUMP_KIT_H
#define XENOPROF_TESTS_UNIT_AGENT_DUMP_KIT_H

#include <stddef.h>
#include <stdint.h>

struct dump_kit {
    size_t size;
    char bytes[65536];
};

/* The head of a file. */
void dump_kit_begin(struct dump_kit *kit);
/* Code that was loaded, of which so many bytes are in the file. */
void dump_kit_load(struct dump_kit *kit, uint64_t start, uint64_t size,
                   uint64_t number, const char *name, size_t code);
void dump_kit_move(struct dump_kit *kit, uint64_t from, uint64_t to,
                   uint64_t size, uint64_t number);
/* A record of this kind and size, with zeroes in it. */
void dump_kit_other(struct dump_kit *kit, uint32_t kind, uint32_t size);

#endif
