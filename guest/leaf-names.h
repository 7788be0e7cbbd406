/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of addresses in an ELF file for x86-64, of which any bytes may be
 * missing: by the symbols that the file gives to others (.dynsym), which its
 * program headers lead to.  The guest chose the bytes; what is returned is fit
 * to be shown, and what it costs is bounded.
 */
#ifndef XENOPROF_GUEST_LEAF_NAMES_H
#define XENOPROF_GUEST_LEAF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEAF_NAME_MAX 255u
/* Of one file, that are asked for at a time. */
#define LEAVES_MAX 64u
/* Of one file. */
#define LEAF_SYMBOLS_MAX (1u << 20)

enum leaf_found {
    LEAF_NOTHING, /* the file's head is missing, or it is no such file */
    LEAF_ADDRESS, /* no symbol covers it, or that is missing */
    LEAF_SYMBOL
};

/* 8-byte numbers first, without padding. */
struct leaf_name {
    uint64_t address; /* as the file counts; LEAF_NOTHING: the offset in it */
    uint64_t start;   /* of the function */
    uint32_t found;   /* enum leaf_found */
    uint32_t absent;  /* pages that were wanted of its file, and were missing */
    char name[LEAF_NAME_MAX + 1]; /* filled up with zeroes */
};

/* Returns whether all of these bytes of a file are there. */
typedef bool (*file_get)(void *self, uint64_t offset, void *to, size_t size);

/* Finds the functions at some offsets, LEAVES_MAX at most, in a file; absent is
 * the caller's to say. */
void leaf_names_find(file_get get, void *self, const uint64_t *offsets,
                     size_t count, struct leaf_name *ret);

/* Returns whether what another process made is one. */
bool leaf_name_is_sound(const struct leaf_name *name);

#endif
